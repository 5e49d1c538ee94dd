// The text form must match docs/isa.md, and each error must name its line.
#include "sim/isa/text/text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "tests/isa/program_head.h"

namespace weft {
namespace {

Program assemble_text(const std::string& text) {
  std::istringstream in(text);
  return assemble(in, "t.weft");
}

/// Returns the message of the InputError that assembling `text` throws; empty if it throws none.
std::string assembly_error(const std::string& text) {
  try {
    assemble_text(text);
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "more than one line";
    return error.what();
  }
  return "";
}

std::string body_error(const std::string& body) {
  return assembly_error(kHead + body + "\nend\n");
}

Instruction only_instruction(const std::string& line) {
  const Program program = assemble_text(kHead + line + "\nend\n");
  EXPECT_EQ(program.code.size(), 1U);
  return program.code.at(0);
}

TEST(AssemblerTest, ReadsEveryKindOfLine) {
  const Program program = assemble_text(R"(# what it does

weft 1          # format version
machine rows=4 cols=8 dtype=bf16
tensor name=a role=activation type=bf16 shape=5x6 base=0
	tensor  base=3  shape=6x7 type=bf16 role=weights name=b
computes matmul m=5 k=6 n=7 bias=on activation=relu
load host=0 ub=0 rows=5
end
)");
  Program expected{4, 8, ElementType::kBf16, {}, {}, {}};
  expected.tensors.push_back({"a", TensorRole::kActivation, ElementType::kBf16, 5, 6, 0});
  expected.tensors.push_back({"b", TensorRole::kWeights, ElementType::kBf16, 6, 7, 3});
  expected.computes = MatmulSpec{5, 6, 7, true, Activation::kRelu};
  expected.code.push_back({Load{0, 0, 5}, {}});
  EXPECT_EQ(program, expected);
}

TEST(AssemblerTest, ReadsEveryOperand) {
  After after;
  after[Unit::kLoad] = 3;
  after[Unit::kVector] = 1;
  EXPECT_EQ(only_instruction("load host=18446744073709551615 ub=4294967295 rows=9"),
            (Instruction{Load{UINT64_MAX, UINT32_MAX, 9}, {}}));
  EXPECT_EQ(only_instruction("fetch tile=7 after=vector:1,load:3"), (Instruction{Fetch{7}, after}));
  Matmul matmul;
  matmul.ub.base = 3;
  matmul.ub.loops = {RowLoop{5, 1}, RowLoop{2, -8}, RowLoop{}, RowLoop{}};
  matmul.ub.bounds = {RowBound{-1, 1, 5}, RowBound{0, 2, 4}};
  matmul.ub.pad = 0x80;
  matmul.rows = 10;
  matmul.acc = 4;
  matmul.accumulate = true;
  matmul.next_weights = false;
  EXPECT_EQ(
      only_instruction("matmul ub=3 rows=10 loops=5:1,2:-8 bounds=-1:1:5,0:2:4 pad=0x80 acc=4 "
                       "mode=accumulate weights=keep"),
      (Instruction{matmul, {}}));
  EXPECT_EQ(only_instruction("vector op=clamp acc=1 ub=2 rows=3 bias=4 low=0x80000000 high=6"),
            (Instruction{Vector{.op = VectorOp::kClamp,
                                .acc = 1,
                                .ub = 2,
                                .rows = 3,
                                .has_bias = true,
                                .bias = 4,
                                .low = 0x80000000,
                                .high = 6},
                         {}}));
  EXPECT_EQ(only_instruction("store ub=1 host=2 rows=3"), (Instruction{Store{1, 2, 3}, {}}));
}

TEST(AssemblerTest, ReadsEveryOperandOfABufferTile) {
  const BufferTile tile{.row = 8,
                        .rows = 3,
                        .lanes = 4,
                        .window = {.column = 1, .plane = 16},
                        .transpose = true,
                        .at = 2};
  EXPECT_EQ(only_instruction("fetch buffer=8:3:4 window=1:16 transpose=on at=2"),
            (Instruction{Fetch{0, tile}, {}}));
  EXPECT_EQ(only_instruction("fetch at=2 transpose=on window=1:16 buffer=8:3:4"),
            (Instruction{Fetch{0, tile}, {}}));
  EXPECT_EQ(format(only_instruction("fetch at=0 transpose=off window=0:0 buffer=8:3:4")),
            "fetch buffer=8:3:4");
}

TEST(AssemblerTest, ReadsEveryOperandOfTheLaneMachine) {
  Vector vector;
  vector.op = VectorOp::kHardSigmoid;
  vector.combine = VectorCombine::kPrelu;
  vector.reduce = VectorReduce::kMax;
  vector.mode = VectorMode::kAdd;
  vector.domain = VectorDomain::kFloat;
  vector.source = VectorSource{};
  vector.source->rows.base = 3;
  vector.source->rows.loops[0] = {2, 2};
  vector.source->rows.loops[1] = {3, -8};
  vector.source->rows.bounds[1] = {-1, 1, 5};
  vector.source->rows.pad = 0x80;
  vector.source->format = RowFormat::kWide;
  vector.source->window = {1, 2};
  vector.source->quantization = {0x3e80'0000, -3};
  vector.operand = VectorOperand{40, 4, RowFormat::kNarrow, {5, 6}, {0x3f00'0000, 7}};
  vector.ub = 60;
  vector.rows = 6;
  vector.has_bias = true;
  vector.bias = 50;
  vector.low = 0x3e4c'cccd;
  vector.high = 0x3f00'0000;
  vector.format = RowFormat::kNarrow;
  vector.window = {3, 70};
  vector.quantization = {0x3d00'0000, 127};
  vector.lanes = 5;
  vector.fill = false;
  const std::string text =
      "vector op=hard_sigmoid combine=prelu reduce=max mode=add domain=float a=3 a.loops=2:2,3:-8 "
      "a.bounds=0:0:0,-1:1:5 a.pad=0x80 a.format=wide a.window=1:2 a.quant=0x3e800000:-3 b=40 "
      "b.step=4 b.format=narrow b.window=5:6 b.quant=0x3f000000:7 ub=60 rows=6 bias=50 "
      "low=0x3e4ccccd high=0x3f000000 format=narrow window=3:70 quant=0x3d000000:127 lanes=5 "
      "fill=off";
  EXPECT_EQ(only_instruction(text), (Instruction{vector, {}}));
  EXPECT_EQ(format({vector, {}}), text);
}

TEST(AssemblerTest, FillsInTheLoopsOfASourceWhereverItsRowsStand) {
  Vector vector;
  vector.source = VectorSource{};
  vector.source->rows.base = 9;
  vector.source->rows.loops[0] = {5, 1};
  vector.source->format = RowFormat::kNarrow;
  vector.rows = 5;
  EXPECT_EQ(only_instruction("vector a=9 ub=0 rows=5"), (Instruction{vector, {}}));
  EXPECT_EQ(only_instruction("vector rows=5 ub=0 a=9"), (Instruction{vector, {}}));
  EXPECT_EQ(format({vector, {}}), "vector a=9 ub=0 rows=5");
}

TEST(AssemblerTest, TakesEitherOfTwoOperands) {
  EXPECT_EQ(body_error("fetch"), "t.weft:3: fetch needs the operand tile= or buffer=");
  EXPECT_EQ(body_error("fetch tile=0 buffer=0:1:1"),
            "t.weft:3: fetch takes either tile= or buffer=, not both");
  EXPECT_EQ(body_error("vector ub=0"), "t.weft:3: vector needs the operand acc= or a=");
  EXPECT_EQ(body_error("vector ub=0 acc=0 a=8"),
            "t.weft:3: vector takes either acc= or a=, not both");
}

TEST(AssemblerTest, RefusesOperandsOfAPartThatIsMissing) {
  EXPECT_EQ(body_error("fetch tile=0 transpose=on"),
            "t.weft:3: operand transpose belongs to buffer=, which is not given");
  for (const char* operand : {"window=0:0", "at=0"}) {
    EXPECT_NE(body_error(std::string("fetch tile=0 ") + operand), "") << operand;
  }
  EXPECT_EQ(body_error("vector acc=0 ub=0 a.loops=1:1"),
            "t.weft:3: operand a.loops belongs to a=, which is not given");
  for (const char* operand :
       {"a.bounds=0:0:0", "a.pad=0", "a.format=wide", "a.window=0:0", "a.quant=0:0", "b.step=1",
        "b.format=wide", "b.window=0:0", "b.quant=0:0"}) {
    EXPECT_NE(body_error(std::string("vector acc=0 ub=0 ") + operand), "") << operand;
  }
}

TEST(AssemblerTest, FillsInDefaults) {
  Matmul matmul;
  matmul.ub.loops[0] = {5, 1};  // one loop over the rows, wherever `rows` stands
  matmul.rows = 5;
  EXPECT_EQ(only_instruction("matmul acc=0 ub=0 rows=5"), (Instruction{matmul, {}}));
  EXPECT_EQ(only_instruction("load host=1 ub=2"), (Instruction{Load{1, 2, 1}, {}}));
  EXPECT_EQ(only_instruction("vector acc=1 ub=2"), (Instruction{Vector{.acc = 1, .ub = 2}, {}}));
}

TEST(DisassemblerTest, LeavesOutDefaults) {
  const std::string text = std::string(kHead) +
                           "tensor name=a role=activation type=int8 shape=5x6 base=0\n"
                           "computes matmul m=5 k=6 n=7\n"
                           "load host=0 ub=0 rows=5\n"
                           "matmul ub=0 rows=5 acc=0 after=load:1\n"
                           "matmul ub=0 loops=1:0 acc=0 mode=accumulate weights=keep\n"
                           "vector op=clamp acc=0 ub=16 bias=0 high=0x6 after=load:1,matmul:2\n"
                           "end\n";
  EXPECT_EQ(disassemble(assemble_text(text)), text);
  EXPECT_EQ(
      format(only_instruction(
          "matmul acc=0 ub=0 rows=5 pad=0 loops=5:1,1:0 bounds=0:0:0 mode=overwrite weights=next")),
      "matmul ub=0 rows=5 acc=0");
}

TEST(AssemblerTest, TakesWindowsLineEndsAndAMissingLastOne) {
  EXPECT_EQ(assembly_error("weft 1\r\nmachine rows=4 cols=4 dtype=int8\r\nend\r\n"), "");
  EXPECT_EQ(assembly_error("weft 1\nmachine rows=4 cols=4 dtype=int8\nend"), "");
}

TEST(AssemblerTest, SkipsAByteOrderMarkOnceAtTheBeginning) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(assembly_error(mark + kHead + "end\n"), "");
  EXPECT_EQ(assembly_error(mark + "\n" + kHead + "end\n"), "");
  EXPECT_NE(assembly_error(mark + mark + kHead + "end\n"), "");
  EXPECT_NE(assembly_error(kHead + mark + "end\n"), "");
}

TEST(AssemblerTest, KeepsTheLineOfEveryInstructionForLaterErrors) {
  const Program program = assemble_text(std::string("# one\n") + kHead +
                                        "load host=0 ub=0\n\n# six\nfetch tile=0\nend\n");
  EXPECT_EQ(instruction_name(program, 0), "instruction 0 (load, t.weft:4)");
  EXPECT_EQ(instruction_name(program, 1), "instruction 1 (fetch, t.weft:7)");
}

TEST(AssemblerTest, NamesWhatIsWrongInAnInstruction) {
  EXPECT_EQ(body_error("lode host=0 ub=0"),
            "t.weft:3: unknown opcode 'lode'; the opcodes are load, fetch, matmul, vector, store; "
            "the last line is end");
  EXPECT_EQ(body_error("load host=0 ub=0 row=5"),
            "t.weft:3: unknown operand 'row'; load takes host, ub, rows, patch, patch.x, patch.y, "
            "patch.width, patch.offset, patch.pad");
  EXPECT_EQ(body_error("\nload host=0 ub=0 ub=1"), "t.weft:4: operand ub is given twice");
  EXPECT_EQ(body_error("load host=0"), "t.weft:3: load needs the operand ub=");
  EXPECT_EQ(body_error("load host=0 ub"), "t.weft:3: 'ub' is not key=value");
  EXPECT_EQ(body_error("load host=0 ub=4294967296"),
            "t.weft:3: ub='4294967296': must be 0..4294967295");
  EXPECT_EQ(body_error("matmul ub=0 acc=0 mode=add"),
            "t.weft:3: mode='add': must be overwrite|accumulate");
  EXPECT_EQ(body_error("fetch tile=0 after=load:1 after=load:1"),
            "t.weft:3: operand after is given twice");
}

TEST(AssemblerTest, RefusesMalformedValues) {
  for (const char* value : {"", "-1", "+1", "0x1", "1.0", "18446744073709551616", "1=1", "one"}) {
    EXPECT_NE(body_error(std::string("fetch tile=") + value), "") << value;
  }
  for (const char* value : {"", "1", "1:", ":1", "1:1:1", "1:1,", ",1:1", "-1:1", "1:2147483648",
                            "4294967296:1", "1:1,1:1,1:1,1:1,1:1"}) {
    EXPECT_NE(body_error(std::string("matmul ub=0 acc=0 loops=") + value), "") << value;
  }
  for (const char* value : {"", "1:1", "1:1:1:1", "1:1:-1", "1:1:1,1:1:1,1:1:1", "::"}) {
    EXPECT_NE(body_error(std::string("matmul ub=0 acc=0 bounds=") + value), "") << value;
  }
  for (const char* value : {"", "0x", "0x10000", "65536", "0x-1", "x", "0X1"}) {
    EXPECT_NE(body_error(std::string("matmul ub=0 acc=0 pad=") + value), "") << value;
  }
  for (const char* value : {"", "1", "1:", ":1", "1:1:1", "-1:1", "0x1:1", "1:4294967296"}) {
    EXPECT_NE(body_error(std::string("vector acc=0 ub=0 window=") + value), "") << value;
  }
  for (const char* value :
       {"", "1", "1:", ":1", "0x:1", "1:1:1", "0x100000000:1", "1.5:0", "-1:1", "1:2147483648"}) {
    EXPECT_NE(body_error(std::string("vector acc=0 ub=0 quant=") + value), "") << value;
  }
  for (const char* value : {"", "1", "1:1", "1:1:1:1", "-1:1:1", "1:1:4294967296", "::"}) {
    EXPECT_NE(body_error(std::string("fetch buffer=") + value), "") << value;
  }
  for (const char* value :
       {"", "load", "load:", "load:0", "load:1,load:1", "load:1,", ":1", "mxu:1", "load:4294967296",
        "load:1,fetch:1,matmul:1,vector:1,store:1,load:1"}) {
    EXPECT_NE(body_error(std::string("fetch tile=0 after=") + value), "") << value;
  }
}

TEST(AssemblerTest, RefusesMalformedDirectives) {
  EXPECT_NE(body_error("tensor name=a role=activation type=int8 shape=5 base=0"), "");
  EXPECT_NE(body_error("tensor name=a role=activation type=int8 shape=5x base=0"), "");
  EXPECT_NE(body_error("tensor name=a/b role=activation type=int8 shape=5x6 base=0"), "");
  EXPECT_NE(body_error("tensor name= role=activation type=int8 shape=5x6 base=0"), "");
  EXPECT_NE(body_error("tensor name=a role=input type=int8 shape=5x6 base=0"), "");
  EXPECT_NE(body_error("tensor name=a role=activation type=int9 shape=5x6 base=0"), "");
  EXPECT_NE(body_error("tensor name=a role=activation type=int8 shape=5x6"), "");
  EXPECT_NE(body_error("computes"), "");
  EXPECT_NE(body_error("computes conv m=1 k=1 n=1"), "");
  EXPECT_NE(body_error("computes matmul m=1 k=1 n=1\ncomputes matmul m=1 k=1 n=1"), "");
  EXPECT_EQ(body_error("fetch tile=0\ntensor name=a"),
            "t.weft:4: tensor lines must come before the first instruction");
}

TEST(AssemblerTest, RefusesAnotherHead) {
  EXPECT_EQ(assembly_error("weft 2\n"), "t.weft:1: a program begins with the line: weft 1");
  EXPECT_EQ(assembly_error("load host=0 ub=0\n"),
            "t.weft:1: a program begins with the line: weft 1");
  EXPECT_EQ(assembly_error("weft 1\nend\n"),
            "t.weft:2: the second line must be: machine rows=R cols=C dtype=TYPE");
  EXPECT_NE(assembly_error("weft 1\nmachine rows=4 cols=4\nend\n"), "");
}

TEST(AssemblerTest, NoticesATextThatIsCutOff) {
  const std::string text = std::string(kHead) + "load host=0 ub=0 rows=25\nend\n";
  for (std::size_t length = 0; length + 1 < text.size(); ++length) {
    EXPECT_NE(assembly_error(text.substr(0, length)), "") << length;
  }
  EXPECT_EQ(assembly_error(kHead),
            "t.weft:3: the program ends without an end line; is the file cut off?");
}

TEST(AssemblerTest, RefusesTextAfterTheEnd) {
  EXPECT_NE(assembly_error(std::string(kHead) + "end\nend\n"), "");
  EXPECT_NE(assembly_error(std::string(kHead) + "end now\n"), "");
  EXPECT_EQ(assembly_error(std::string(kHead) + "end\n# fine\n\n"), "");
}

TEST(AssemblerTest, BoundsTheLengthOfALine) {
  EXPECT_EQ(body_error("#" + std::string(4095, 'x')), "");
  EXPECT_EQ(body_error("#" + std::string(4096, 'x')), "t.weft:3: longer than 4096 bytes");
  EXPECT_EQ(body_error("#" + std::string(1'000'000, 'x')), "t.weft:3: longer than 4096 bytes");
}

TEST(AssemblerTest, BoundsTheNumberOfTensors) {
  std::string body;
  for (int i = 0; i < 4096; ++i) body += "tensor name=a role=bias type=int32 shape=1x1 base=0\n";
  EXPECT_EQ(body_error(body), "");
  EXPECT_NE(body_error(body + "tensor name=a role=bias type=int32 shape=1x1 base=0\n"), "");
}

TEST(AssemblerTest, QuotesBytesThatCannotBePrinted) {
  EXPECT_EQ(body_error(std::string("\x01\xff") + std::string(100, 'y')),
            "t.weft:3: unknown opcode '\\x01\\xff" + std::string(46, 'y') +
                "...'; the opcodes are load, fetch, matmul, vector, store; the last line is end");
}

TEST(AssemblerTest, NamesAFileThatIsMissing) {
  EXPECT_THROW(assemble_file("no/such.weft"), InputError);
  EXPECT_THROW(assemble_file(testing::TempDir()), InputError);
}

TEST(ParseInstructionTest, RefusesAnEmptyLine) {
  EXPECT_THROW(parse_instruction("  # nothing"), InputError);
}

}  // namespace
}  // namespace weft
