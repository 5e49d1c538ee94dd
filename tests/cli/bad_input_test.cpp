// Bad input of any kind gives exit code 2 and one line that names the fault. Nothing is written.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cli/npy_bytes.h"
#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

class BadInputTest : public testing::Test {
 protected:
  /// Expects each of `parts` in the single line on stderr.
  void expect_refused(const Words& arguments, const Words& parts) {
    std::string shown;
    for (const std::string& word : arguments) shown += word + ' ';
    SCOPED_TRACE("weft " + shown);
    const std::size_t before = folder_.count();
    const Finished finished = run_weft(arguments);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_TRUE(finished.err.starts_with("weft: ")) << finished.err;
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    for (const std::string& part : parts) {
      EXPECT_NE(finished.err.find(part), std::string::npos) << part << " in: " << finished.err;
    }
    EXPECT_EQ(folder_.count(), before) << "something was written";
  }

  /// Passes `content` as --a of a small int8 product.
  void expect_file_refused(const std::string& content, const std::string& part) {
    const std::string file = folder_.write("a.npy", content);
    expect_refused({"matmul", "--machine", "tiny", "2", "3", "4", "--a", file}, {file, part});
  }

  void expect_program_refused(const std::string& text, const Words& parts) {
    const std::string file = folder_.write("bad.weft", text);
    expect_refused({"exec", file, "--machine", "tiny"}, parts);
  }

  TemporaryFolder folder_;
};

TEST_F(BadInputTest, ManualPagesNeedAFolder) {
  expect_refused({"help", "--man-dir", ""}, {"--man-dir: the name is empty; give one"});
  const std::string file = folder_.write("file", "text");
  expect_refused({"help", "--man-dir", file}, {"--man-dir", file, "is a file; name a folder"});
  expect_refused({"help", "--man-dir", file + "/in"}, {file + "/in", "cannot be created"});
}

TEST_F(BadInputTest, TheMachineIsAFileOfItsOwn) {
  const Words product = {"matmul", "2", "3", "4", "--machine", "tiny"};
  expect_refused(product + Words{"--machine-out", "-"}, {"--machine-out -", "name a file"});
  const std::string file = folder_.file("both");
  expect_refused(product + Words{"--csv", file, "--machine-out", file}, {"both --csv and"});
}

/// While it lives, processes that start may write files of at most `bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_F(BadInputTest, AFileBeyondTheLimitOfTheSystemIsALineAndNoFile) {
  const FileSizeLimit limit(500);
  const std::string file = folder_.file("a.json");
  expect_refused({"matmul", "8", "8", "8", "--machine", "tiny", "--quiet", "--json", file},
                 {file, "cannot write"});
}

TEST_F(BadInputTest, SizesMustBePositiveWholeNumbers) {
  for (const char* command : {"matmul", "explain", "compile"}) {
    expect_refused({command, "0", "3", "4"}, {"M", "'0'"});
    expect_refused({command, "2", "-3", "4"}, {"K", "'-3'"});
    expect_refused({command, "2", "3", "4x"}, {"N", "'4x'"});
    expect_refused({command, "2", "1e3", "4"}, {"K", "'1e3'"});
    expect_refused({command, "2", "", "4"}, {"K", "''"});
    expect_refused({command, "99999999999999999999", "3", "4"}, {"M", "99999999999999999999"});
    expect_refused({command, "2", "3"}, {"N", "missing"});
    expect_refused({command, "2", "3", "4", "5"}, {"'5'"});
  }
}

TEST_F(BadInputTest, ProductsOfSizesMustFit) {
  const std::string huge = "1099511627776";
  for (const char* engine : {"analytic", "fast"}) {
    expect_refused({"matmul", huge, huge, huge, "--engine", engine}, {});
  }
  expect_refused({"matmul", "1000000000", "1", "1000000"}, {"this computer has"});
  expect_refused({"matmul", "1000000000", "1000", "1", "--accumulators.rows", "1000000",
                  "--unified_buffer.kib", "2097152"},
                 {"the matrices", "--engine analytic"});
  expect_refused({"explain", "1", "1000000000", "1000000", "--machine", "tiny"}, {"2^32 - 1"});
}

// Refused: array sizes that no RTL build has, and options of other engines.
TEST_F(BadInputTest, TheRtlEngineNamesWhatThereIs) {
  const std::string out = folder_.file("out.vcd");
  const auto with = [](const Words& more) {
    Words words = {"matmul", "5", "6", "7", "--machine", "tiny"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expect_refused(with({"--engine", "rtl", "--array.rows", "5"}),
                 {"--engine rtl", "--engine stepped"});
  expect_refused(with({"--lockstep"}), {"--lockstep", "--engine rtl", "fast"});
  expect_refused(with({"--lockstep", "--engine", "stepped"}), {"--lockstep", "stepped"});
  expect_refused(with({"--vcd", out}), {"--vcd", "fast", "stepped or rtl"});
  expect_refused(with({"--vcd", out, "--engine", "analytic"}), {"--vcd", "analytic"});
  expect_refused(with({"--vcd", "-", "--engine", "stepped"}), {"--vcd -", "name a file"});
  expect_refused(with({"--vcd", out, "--out", out, "--engine", "stepped"}),
                 {out, "--out", "--vcd", "two files"});
  const std::string nowhere = folder_.file("no/such/folder.vcd");
  expect_refused(with({"--vcd", nowhere, "--engine", "stepped"}), {nowhere, "folder"});
  expect_refused(with({"--vcd", "/dev/full", "--engine", "stepped"}), {"/dev/full", "space"});
}

TEST_F(BadInputTest, AWaveformMustFitTheDiskAndTheRun) {
  const std::string out = folder_.file("out.vcd");
  const auto with = [&](const Words& more) {
    return Words{"matmul", "5", "6", "7", "--machine", "tiny", "--engine", "stepped"} + more;
  };
  expect_refused(with({"--vcd-cycles", "1..2"}), {"--vcd-cycles", "--vcd"});
  expect_refused(with({"--vcd", out, "--vcd-cycles", "7"}), {"--vcd-cycles", "7", "100..199"});
  expect_refused(with({"--vcd", out, "--vcd-cycles", "9..8"}), {"9..8", "before"});
  expect_refused(with({"--vcd", out, "--vcd-cycles", "5000..6000"}), {"--vcd-cycles", "cycles 0"});
  expect_refused(
      {"matmul", "100000000", "128", "128", "--engine", "stepped", "--check", "none", "--vcd", out},
      {});
}

// The same file under another name is refused too, whether or not it exists yet.
TEST_F(BadInputTest, NoOutputReplacesAnInputOrAnotherOutput) {
  const std::string a = folder_.write("a.npy", npy<std::int8_t>("|i1", "(1, 1)", {1}));
  const std::string around = folder_.file("./a.npy");
  const std::string program = folder_.write("p.weft", "not read");
  const std::string machine = folder_.write("m.ini", "[machine]\nname = m\n");
  for (const char* option : {"--out", "--json", "--vcd", "--trace"}) {
    expect_refused({"matmul", "1", "1", "1", "--machine", "tiny", "--engine", "stepped", "--a", a,
                    option, around},
                   {"a.npy", "--a", option, "two files"});
    expect_refused(
        {"matmul", "1", "1", "1", "--machine", machine, "--engine", "stepped", option, machine},
        {machine, "--machine", option});
    expect_refused({"exec", program, "--engine", "stepped", option, program}, {program, option});
    expect_refused({"matmul", "1", "1", "1", "--machine", "tiny", "--engine", "rtl", "--lockstep",
                    option, "weft-lockstep.vcd"},
                   {"weft-lockstep.vcd", "--lockstep", option});
  }
  expect_refused(
      {"matmul", "1", "1", "1", "--machine", "tiny", "--out", "weft-new", "--json", "./weft-new"},
      {"weft-new", "--out", "--json", "two files"});
}

TEST_F(BadInputTest, NoOutputReplacesWhatAnotherCommandReads) {
  const std::string machine = folder_.write("m.ini", "[machine]\nname = m\n");
  const std::string sweep = folder_.write("s.ini", "workload = matmul 3 3 3\nmachine = tiny\n");
  const std::string itself = folder_.file("t.ini");
  folder_.write("t.ini", "workload = matmul 3 3 3\nmachine = tiny\ncsv = " + itself + "\n");
  const std::string other = folder_.file("./m.ini");
  const Words product = {"3", "3", "3"};
  expect_refused({"sweep", sweep, "--csv", sweep}, {"--csv would replace it"});
  expect_refused({"sweep", itself}, {"t.ini", "--csv would replace it"});
  expect_refused(
      Words{"sweep", "matmul"} + product + Words{"--machine", "tiny," + machine, "--json", other},
      {"m.ini", "named by both --machine and --json"});
  for (const char* option : {"--csv", "--json", "--html"}) {
    expect_refused(Words{"explain"} + product + Words{"--machine", machine, option, other},
                   {"m.ini", "named by both --machine and", option});
    expect_refused(Words{"explain"} + product +
                       Words{"--sweep", "m=1..3", "--machine", machine, option, other},
                   {"m.ini", "named by both --machine and", option});
  }
  EXPECT_EQ(folder_.read("m.ini"), "[machine]\nname = m\n");
}

TEST_F(BadInputTest, AProgramThatIsTooLargeGetsAdviceThatHelps) {
  const std::string huge = "1000000";
  for (const Words& words : {Words{"explain", huge, huge, huge},
                             Words{"matmul", huge, huge, huge, "--engine", "analytic"}}) {
    expect_refused(words, {"instructions of one unit", "2^32 - 1", "larger array"});
  }
  expect_refused({"compile", huge, huge, huge},
                 {"the program would take", "this computer has", "larger array"});
}

TEST_F(BadInputTest, NamesMustBeKnown) {
  expect_refused({}, {"no command"});
  expect_refused({"matmull"}, {"'matmull'"});
  expect_refused({"matmul", "2", "3", "4", "--engine", "warp"}, {"--engine", "'warp'"});
  expect_refused({"matmul", "2", "3", "4", "--machine", "tpu-v99"}, {"tpu-v99"});
  expect_refused({"matmul", "2", "3", "4", "--array.dtype", "int4"}, {"array.dtype", "int4"});
  expect_refused({"matmul", "2", "3", "4", "--array.row", "4"}, {"did you mean --array.rows?"});
  expect_refused({"matmul", "2", "3", "4", "--banana", "4"}, {"'--banana'; see --help"});
  expect_refused({"matmul", "2", "3", "4", "--array.rows", "0"}, {"array.rows", "0"});
  expect_refused({"matmul", "2", "3", "4", "--activation", "gelu"}, {"--activation", "'gelu'"});
  expect_refused({"matmul", "2", "3", "4", "--check", "gpu"}, {"--check", "'gpu'"});
  expect_refused({"matmul", "2", "3", "4", "--check", "cuda"}, {"--check cuda", "--check cpu"});
  expect_refused({"matmul", "2", "3", "4", "--seed", "-1"}, {"--seed", "'-1'"});
  expect_refused({"matmul", "2", "3", "4", "--threads", "0"}, {"--threads", "'0'"});
  expect_refused({"matmul", "2", "3", "4", "--threads", "2", "--engine", "analytic"},
                 {"--threads", "one thread"});
  expect_refused({"matmul", "2", "3", "4", "--seed"}, {"seed"});
  expect_refused({"machines", "tpu-v99"}, {"tpu-v99"});
  expect_refused({"matmul", "2", "3", "4\nweft: all is well"}, {"N"});
}

TEST_F(BadInputTest, KeysOfAnIniFileMustBeKnown) {
  const std::string file = folder_.write("m.ini", "[array]\nrows = 8\ncolumns = 8\n");
  expect_refused({"matmul", "2", "3", "4", "--machine", file}, {file, "columns"});
}

TEST_F(BadInputTest, FlagsMustNotContradictEachOther) {
  const std::string out = folder_.file("out.npy");
  const Words product = {"matmul", "2", "3", "4", "--machine", "tiny"};
  const auto with = [&](Words more) {
    more.insert(more.begin(), product.begin(), product.end());
    return more;
  };
  expect_refused(with({"--engine", "analytic", "--check", "cpu"}), {"--check", "analytic"});
  expect_refused(with({"--engine", "analytic", "--out", out}), {"--out", "analytic"});
  expect_refused(with({"--out", out, "--json", out}), {"--out", "--json"});
  expect_refused(with({"--seed", "1", "--seed", "2"}), {"seed"});
  const std::string a = folder_.write("a.npy", npy("|i1", "(2, 5)", std::vector<char>(10)));
  expect_refused(with({"--a", a}), {"K", "3", "5", a});
  const std::string u = folder_.write("u.npy", npy("|u1", "(3, 4)", std::vector<char>(12)));
  expect_refused(with({"--b", u, "--activation", "relu"}), {u, "uint8"});
  expect_refused({"matmul", "--machine", "tiny", "--a", a}, {"N is not given", "both --a and --b"});
  expect_refused({"explain"}, {"M is not given; name M K N\n"});
  expect_refused({"compile"},
                 {"nothing to compile; give M K N, an .onnx file or a network's name"});
  expect_refused(with({"--out", "-"}), {"--out -", "stdout"});
  expect_refused({"exec", "-"}, {"exec -", "stdin"});
}

TEST_F(BadInputTest, AnOptionIsNoValueOfAnother) {
  const Words product = {"matmul", "2", "3", "4", "--machine", "tiny"};
  expect_refused(product + Words{"--energy", "--price-per-hour", "3"},
                 {"--energy: TABLE is missing before '--price-per-hour'"});
  expect_refused(product + Words{"--json", "--engine=timed"},
                 {"--json: FILE is missing before '--engine=timed'"});
  expect_refused({"scalesim", "-c", "-t", "a.csv"}, {"-c: FILE is missing before '-t'"});
}

TEST_F(BadInputTest, TwoOutputsMustNotBeOneFile) {
  const std::string out = folder_.write("out.npy", "old");
  std::filesystem::create_symlink("out.npy", folder_.file("link"));
  for (const std::string& other : {folder_.file("./out.npy"), folder_.file("link")}) {
    expect_refused({"matmul", "2", "3", "4", "--machine", "tiny", "--out", out, "--json", other},
                   {"named by both --out and --json"});
  }
  EXPECT_EQ(folder_.read("out.npy"), "old");
}

TEST_F(BadInputTest, FlagsThatWouldChangeNothingAreRefused) {
  const std::string a = folder_.write("a.npy", npy("|i1", "(2, 3)", std::vector<char>(6)));
  const std::string b = folder_.write("b.npy", npy("|i1", "(3, 4)", std::vector<char>(12)));
  const std::string program = folder_.file("p.weft");
  ASSERT_EQ(run_weft({"compile", "2", "3", "4", "--machine", "tiny", "-o", program}).code, 0);
  const Words files = {"matmul", "--machine", "tiny", "--a", a, "--b", b, "--quiet"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expect_refused(with(files, {"--seed", "2"}), {"--seed", "random"});
  expect_refused({"exec", program, "--a", a, "--b", b, "--seed", "2"}, {"--seed", "random"});
  expect_refused(with(files, {"--engine", "analytic", "--seed", "2"}), {"--seed", "analytic"});
  expect_refused({"exec", program, "--engine", "analytic", "--a", a}, {"--a", "analytic"});
  // A random bias needs the seed. Without values, files still give the sizes.
  EXPECT_EQ(run_weft(with(files, {"--seed", "2", "--with-bias"})).code, 0);
  EXPECT_EQ(run_weft(with(files, {"--engine", "analytic"})).code, 0);
}

TEST_F(BadInputTest, PipesAndFoldersAreNoFiles) {
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const char* flag : {"--json", "--out", "--a", "--machine"}) {
    expect_refused({"matmul", "2", "3", "4", flag, pipe}, {pipe, "is not a regular file"});
  }
  expect_refused({"exec", pipe}, {pipe, "is not a regular file"});
  expect_refused({"compile", "2", "3", "4", "-o", pipe}, {pipe, "is not a regular file"});
  expect_refused({"matmul", "2", "3", "4", "--machine", folder_.file(".")}, {"is a folder"});
  expect_refused({"exec", folder_.file(".")}, {"is a folder"});
}

TEST_F(BadInputTest, ArraysMustBeWhatTheMachineTakes) {
  const std::string good = npy("|i1", "(2, 3)", std::vector<char>(6));
  expect_file_refused(good.substr(0, good.size() - 1), "cut short");
  expect_file_refused(good.substr(0, 20), "cut short");
  expect_file_refused(npy("<f4", "(2, 3)", std::vector<float>(6)), "<f4");
  expect_file_refused(npy(">f4", "(2, 3)", std::vector<float>(6)), "|i1 or |u1");
  expect_file_refused(npy("<i8", "(2, 3)", std::vector<std::int64_t>(6)), "<i8");
  expect_file_refused(npy("|i1", "(6,)", std::vector<char>(6)), "1 dimension where");
  expect_file_refused(npy("|i1", "(1, 2, 3)", std::vector<char>(6)), "3 dimensions");
  expect_file_refused(npy("|i1", "(2000000000, 3)", std::vector<char>(6)), "claims");
  expect_file_refused(good + "x", "after the array");
  expect_refused({"matmul", "--machine", "tiny", "--a", folder_.file("no.npy")}, {"no such file"});
}

TEST_F(BadInputTest, ProgramsMustBeWholeAndInRange) {
  const Finished compiled = run_weft({"compile", "5", "6", "3", "--machine", "tiny"});
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  const std::string& text = compiled.out;
  const auto replaced = [&](std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return std::string(text).replace(at, from.size(), to);
  };
  expect_program_refused(replaced("\nfetch ", "\nprefetch "), {"bad.weft", "prefetch"});
  expect_program_refused(replaced("fetch tile=0", "fetch tile=99"), {"fetch", "99"});
  expect_program_refused(replaced("fetch tile=0", "fetch tile=x"), {"bad.weft", "tile"});
  expect_program_refused(text.substr(0, text.size() / 2), {"bad.weft"});
  expect_program_refused(text.substr(0, text.rfind("end")), {"bad.weft"});
  expect_program_refused("", {"bad.weft"});
  expect_program_refused(std::string(100, '\xFF'), {"bad.weft"});
  expect_refused({"exec", folder_.file("none.weft")}, {"none.weft"});
  expect_refused({"exec"}, {"no program"});
  const std::string file = folder_.write("good.weft", text);
  expect_refused({"exec", file, "--machine", "tpu-v1"}, {});
  expect_refused({"exec", file, "--array.rows", "5"}, {"good.weft", "--machine"});
}

TEST_F(BadInputTest, OutputsMustBeWritable) {
  const Words product = {"matmul", "2", "3", "4", "--machine", "tiny"};
  const std::string missing = folder_.file("missing/out");
  for (const std::string flag : {"--out", "--json"}) {
    for (const std::string& place : {missing, std::string("/dev/full"), folder_.file(".")}) {
      Words words = product;
      words.insert(words.end(), {flag, place});
      expect_refused(words, {place});
    }
  }
  expect_refused({"compile", "2", "3", "4", "-o", missing}, {missing});
  expect_refused({"compile", "2", "3", "4", "-o", "/dev/full"}, {"/dev/full"});
  expect_refused({"explain", "2", "3", "4", "--json", missing}, {missing});
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(BadInputTest, AFailedReportLeavesNoResultFileBehind) {
  expect_refused({"matmul", "2", "3", "4", "--machine", "tiny", "--out", folder_.file("out.npy"),
                  "--json", "/dev/full"},
                 {"/dev/full"});
}

TEST_F(BadInputTest, AFullStdoutIsAnError) {
  const Finished finished = run_weft({"matmul", "2", "3", "4", "--machine", "tiny"}, "/dev/full");
  EXPECT_EQ(finished.code, 2);
  EXPECT_NE(finished.err.find("stdout"), std::string::npos) << finished.err;
}

}  // namespace
}  // namespace weft::test
