#include <fmt/format.h>

#include <bitset>
#include <fstream>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/input_path.h"
#include "base/printable.h"
#include "sim/isa/text/directive_table.h"
#include "sim/isa/text/instruction_table.h"
#include "sim/isa/text/text.h"

namespace weft {
namespace {

// A program may come from anywhere, so every count in it has a bound, far above any real need.
constexpr std::size_t kMaxLineBytes = 4096;
constexpr std::size_t kMaxTensors = 4096;
constexpr std::size_t kMaxLines = std::numeric_limits<std::uint32_t>::max();

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // some editors begin UTF-8 with it

using Tokens = std::vector<std::string_view>;

/// The words of a line, without its comment.
Tokens split(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r";
  line = line.substr(0, line.find('#'));
  Tokens tokens;
  for (;;) {
    const std::size_t begin = line.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return tokens;
    line.remove_prefix(begin);
    const std::size_t length = std::min(line.find_first_of(kSpace), line.size());
    tokens.push_back(line.substr(0, length));
    line.remove_prefix(length);
  }
}

/// Reads the operands of one line into an operation and remembers which were given.
template <class Entry>
class OperandParser {
 public:
  using Op = typename Entry::Operation;
  OperandParser(const Entry& entry, Op& op) : entry_(entry), op_(op) {}

  /// Reads the operand if the line may have one with this key; otherwise returns false.
  bool take(std::string_view key, std::string_view text) {
    bool known = false;
    for_each_operand(entry_.operands, [&](const auto& operand, std::size_t index) {
      if (operand.key != key) return;
      known = true;
      if (given_[index]) throw InputError(fmt::format("operand {} is given twice", key));
      given_.set(index);
      read(operand, text);
    });
    return known;
  }

  /// Checks the operands and fills in the defaults. Call it after the last operand, because a
  /// default may depend on other operands.
  void finish() {
    for_each_operand(entry_.operands, [&](const auto& operand, std::size_t index) {
      check_company(operand, given_[index]);
    });
    for_each_operand(entry_.operands, [&](const auto& operand, std::size_t index) {
      if (!given_[index]) operand.set_default(op_);
    });
  }

  std::string known_keys() const {
    std::string keys;
    for_each_operand(entry_.operands, [&](const auto& operand, std::size_t index) {
      keys.append(index == 0 ? "" : ", ").append(operand.key);
    });
    return keys;
  }

 private:
  template <class Descriptor>
  void read(const Descriptor& operand, std::string_view text) {
    if (operand.codec.parse(text, operand.get(op_))) return;
    throw InputError(
        fmt::format("{}={}: must be {}", operand.key, printable(text), operand.codec.form()));
  }

  bool is_given(std::string_view key) const {
    bool given = false;
    for_each_operand(entry_.operands, [&](const auto& operand, std::size_t index) {
      if (operand.key == key) given = given_[index];
    });
    return given;
  }

  /// Throws InputError if an operand is missing that `operand` needs, or given that it excludes.
  template <class Descriptor>
  void check_company(const Descriptor& operand, bool given) const {
    const bool replaced = is_given(operand.unless);
    if (given && replaced) {
      throw InputError(fmt::format("{} takes either {}= or {}=, not both", entry_.name, operand.key,
                                   operand.unless));
    }
    if (operand.required && !given && !replaced) {
      const std::string other =
          operand.unless.empty() ? "" : fmt::format(" or {}=", operand.unless);
      throw InputError(fmt::format("{} needs the operand {}={}", entry_.name, operand.key, other));
    }
    if (given && !operand.owner.empty() && !is_given(operand.owner)) {
      throw InputError(
          fmt::format("operand {} belongs to {}=, which is not given", operand.key, operand.owner));
    }
  }

  const Entry& entry_;
  Op& op_;
  std::bitset<std::tuple_size_v<decltype(Entry::operands)>> given_;
};

std::pair<std::string_view, std::string_view> split_operand(std::string_view token) {
  const std::size_t equals = token.find('=');
  if (equals == std::string_view::npos) {
    throw InputError(fmt::format("{} is not key=value", printable(token)));
  }
  return {token.substr(0, equals), token.substr(equals + 1)};
}

/// Reads tokens[first ..] into `op`; `take_common(key, text)` takes keys that any line may have.
template <class Entry, class TakeCommon>
void parse_operands(const Entry& entry, const Tokens& tokens, std::size_t first,
                    typename Entry::Operation& op, TakeCommon take_common) {
  OperandParser<Entry> parser(entry, op);
  for (std::size_t i = first; i < tokens.size(); ++i) {
    const auto [key, text] = split_operand(tokens[i]);
    if (take_common(key, text) || parser.take(key, text)) continue;
    throw InputError(fmt::format("unknown operand {}; {} takes {}", printable(key), entry.name,
                                 parser.known_keys()));
  }
  parser.finish();
}

template <class Entry>
void parse_directive(const Entry& entry, const Tokens& tokens, std::size_t first,
                     typename Entry::Operation& op) {
  parse_operands(entry, tokens, first, op, [](auto, auto) { return false; });
}

/// Takes `after=`, which every instruction may have once.
bool take_after(std::string_view key, std::string_view text, Instruction& instruction) {
  if (key != kAfter.key) return false;
  if (instruction.after != After{}) throw InputError("operand after is given twice");
  if (kAfter.codec.parse(text, instruction.after)) return true;
  throw InputError(fmt::format("after={}: must be {}", printable(text), kAfter.codec.form()));
}

Instruction parse_instruction_tokens(const Tokens& tokens) {
  const auto opcode = opcode_from_name(tokens.front());
  if (!opcode) {
    throw InputError(
        fmt::format("unknown opcode {}; the opcodes are load, fetch, matmul, vector, store; the "
                    "last line is end",
                    printable(tokens.front())));
  }
  Instruction instruction;
  with_entry(*opcode, [&]<class Entry>(const Entry& entry) {
    typename Entry::Operation operation;
    parse_operands(entry, tokens, 1, operation,
                   [&](auto key, auto text) { return take_after(key, text, instruction); });
    instruction.operation = operation;
  });
  return instruction;
}

/// Takes a program line by line: version, machine, tensors, computes, instructions, end.
class Assembler {
 public:
  explicit Assembler(std::string_view origin) { program_.source.file = origin; }

  void take(const Tokens& tokens, std::size_t line) {
    if (line > kMaxLines) throw InputError("more than 2^32 - 1 lines");
    line_ = static_cast<std::uint32_t>(line);
    if (ended_) throw InputError("nothing may follow the end line");
    if (!has_version_) return take_version(tokens);
    if (!has_machine_) return take_machine(tokens);
    if (tokens.front() == "tensor") return take_tensor(tokens);
    if (tokens.front() == "computes") return take_computes(tokens);
    if (tokens.front() == "end" && tokens.size() == 1) return void(ended_ = true);
    if (program_.code.size() == kMaxInstructions) throw InputError("more than 2^26 instructions");
    program_.code.push_back(parse_instruction_tokens(tokens));
    program_.source.code_lines.push_back(line_);
  }

  Program finish() && {
    if (ended_) return std::move(program_);
    throw InputError("the program ends without an end line; is the file cut off?");
  }

 private:
  void take_version(const Tokens& tokens) {
    has_version_ = tokens.size() == 2 && tokens[0] == "weft" && tokens[1] == "1";
    if (!has_version_) throw InputError("a program begins with the line: weft 1");
  }

  void take_machine(const Tokens& tokens) {
    if (tokens.front() != kMachineLine.name) {
      throw InputError("the second line must be: machine rows=R cols=C dtype=TYPE");
    }
    parse_directive(kMachineLine, tokens, 1, program_);
    program_.source.machine_line = line_;
    has_machine_ = true;
  }

  void take_tensor(const Tokens& tokens) {
    check_before_code("tensor");
    if (program_.computes) throw InputError("tensor lines must come before the computes line");
    if (program_.tensors.size() == kMaxTensors) throw InputError("more than 4096 tensors");
    parse_directive(kTensorLine, tokens, 1, program_.tensors.emplace_back());
    program_.source.tensor_lines.push_back(line_);
  }

  void take_computes(const Tokens& tokens) {
    check_before_code("computes");
    if (program_.computes) throw InputError("the program has a second computes line");
    if (tokens.size() < 2 || tokens[1] != "matmul") {
      throw InputError("computes must be followed by matmul");
    }
    parse_directive(kComputesLine, tokens, 2, program_.computes.emplace());
    program_.source.computes_line = line_;
  }

  void check_before_code(std::string_view line) const {
    if (program_.code.empty()) return;
    throw InputError(fmt::format("{} lines must come before the first instruction", line));
  }

  Program program_;
  std::uint32_t line_ = 0;
  bool has_version_ = false;
  bool has_machine_ = false;
  bool ended_ = false;
};

/// Reads the next line into `buffer`. Returns false at the end of the text. Throws InputError for a
/// line longer than the buffer.
bool read_line(std::istream& in, std::vector<char>& buffer, std::string_view& line) {
  in.getline(buffer.data(), static_cast<std::streamsize>(buffer.size()));
  auto length = static_cast<std::size_t>(in.gcount());
  if (in.bad()) throw InputError("cannot be read");
  if (in.fail() && length == buffer.size() - 1) {
    throw InputError(fmt::format("longer than {} bytes", kMaxLineBytes));
  }
  if (in.fail()) return false;
  if (!in.eof()) --length;  // the line end was counted
  line = {buffer.data(), length};
  return true;
}

}  // namespace

Instruction parse_instruction(std::string_view line) {
  const Tokens tokens = split(line);
  if (tokens.empty()) throw InputError("an instruction was expected, but the line is empty");
  return parse_instruction_tokens(tokens);
}

Program assemble(std::istream& in, std::string_view origin) {
  Assembler assembler(origin);
  std::vector<char> buffer(kMaxLineBytes + 1);  // a whole line and a terminating zero
  std::string_view line;
  std::size_t number = 1;
  try {
    for (; read_line(in, buffer, line); ++number) {
      if (number == 1 && line.starts_with(kByteOrderMark))
        line.remove_prefix(kByteOrderMark.size());
      const Tokens tokens = split(line);
      if (!tokens.empty()) assembler.take(tokens, number);
    }
    return std::move(assembler).finish();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}:{}: {}", origin, number, error.what()));
  }
}

Program assemble_file(const std::string& path) {
  if (const char* problem = input_path_problem(path)) {
    throw InputError(fmt::format("{}: {}; give a .weft file", printable(path), problem));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw InputError(fmt::format("{}: cannot be opened; give a .weft file", printable(path)));
  }
  return assemble(file, path);
}

}  // namespace weft
