// A machine that options changed says so in every report, whether it is a preset or an INI file,
// and lists what was changed.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

using nlohmann::json;

class ModifiedMachineTest : public testing::Test {
 protected:
  /// The machine in the --json report of a run.
  json machine_of(const Words& words) {
    const std::string file = folder_.file("report.json");
    const Finished finished = run_weft(words + Words{"--json", file});
    EXPECT_EQ(finished.code, 0) << finished.err;
    text_ = finished.out;
    return json::parse(folder_.read("report.json")).at("machine");
  }

  void expect_text(const std::string& part) {
    EXPECT_NE(text_.find(part), std::string::npos) << part << " in\n" << text_;
  }

  /// The INI file of a machine with this name; 6 x 5 PEs.
  std::string machine(const std::string& name) {
    return folder_.write("my.ini", (name.empty() ? "" : "[machine]\nname = " + name + "\n") +
                                       "[array]\nrows = 6\ncols = 5\ndtype = bf16\n");
  }

  TemporaryFolder folder_;
  std::string text_;  // of the last run
};

const Words kProduct = {"matmul", "9", "8", "7"};

TEST_F(ModifiedMachineTest, AFileAloneIsNotModified) {
  const json found = machine_of(kProduct + Words{"--machine", machine("mine")});
  EXPECT_EQ(found.at("title"), "mine");
  EXPECT_EQ(found.at("modified"), json::object());
  EXPECT_EQ(text_.find("modified"), std::string::npos) << text_;
}

TEST_F(ModifiedMachineTest, OptionsThatChangeAFileAreListedWithTheFilesValues) {
  const json found = machine_of(kProduct + Words{"--machine", machine("mine"), "--array.rows", "3",
                                                 "--memory.kind", "shared", "--array.cols", "5"});
  EXPECT_EQ(found.at("title"), "mine, modified");
  EXPECT_EQ(found.at("modified"), (json{{"rows", 6}, {"memory_kind", "ideal"}}));
  EXPECT_EQ(found.at("rows"), 3);
  expect_text("machine    mine, modified: 3 x 5 bf16");
  expect_text("modified   array.rows 3 (mine: 6), memory.kind shared (mine: ideal)");
}

TEST_F(ModifiedMachineTest, EveryCommandSaysSo) {
  const Words options = {"--machine", machine("mine"), "--array.rows", "3"};
  const std::string program = folder_.file("p.weft");
  ASSERT_EQ(run_weft(Words{"compile", "9", "8", "7", "-o", program} + options).code, 0);
  const Words conv = {"conv", "--input", "1,3,6,6", "--filters", "4", "--kernel", "3"};
  const Words buffer = {"--unified_buffer.kib", "64"};
  for (const Words& words :
       {Words{"explain", "9", "8", "7"}, conv, Words{"explain"} + conv, Words{"exec", program},
        Words{"run", "digits-mlp"} + buffer,
        Words{"train", "digits-mlp", "--epochs", "0", "--backend", "sim"} + buffer}) {
    SCOPED_TRACE(words.front() + " " + words[1]);
    const json found = machine_of(words + options);
    EXPECT_EQ(found.at("title"), "mine, modified");
    EXPECT_EQ(found.at("modified").at("rows"), 6);
    expect_text("mine, modified: 3 x 5 bf16");
    expect_text("array.rows 3 (mine: 6)");
  }
}

TEST_F(ModifiedMachineTest, ThePageSaysSo) {
  const std::string page = folder_.file("page.html");
  const Finished finished =
      run_weft(kProduct + Words{"--machine", machine("mine"), "--array.rows", "3", "--html", page});
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_NE(folder_.read("page.html").find("<title>matmul 9 x 8 x 7 on mine, modified</title>"),
            std::string::npos);
}

TEST_F(ModifiedMachineTest, AFileWithoutANameIsModifiedToo) {
  const json found =
      machine_of(kProduct + Words{"--machine", machine(""), "--vector.latency_cycles", "4"});
  EXPECT_EQ(found.at("title"), "custom, modified");
  EXPECT_EQ(found.at("modified"), (json{{"vector_latency_cycles", 1}}));
}

TEST_F(ModifiedMachineTest, AFileWithAPresetsNameIsComparedWithThePreset) {
  const json found =
      machine_of(kProduct + Words{"--machine", machine("tiny"), "--array.cols", "4"});
  EXPECT_EQ(found.at("title"), "tiny, modified");
  EXPECT_EQ(found.at("modified").at("rows"), 4);
  EXPECT_FALSE(found.at("modified").contains("cols"));  // as in the preset again
}

TEST_F(ModifiedMachineTest, ANewNameIsANewMachine) {
  const json found = machine_of(
      kProduct + Words{"--machine", machine("mine"), "--machine.name", "new", "--array.rows", "3"});
  EXPECT_EQ(found.at("title"), "new");
  EXPECT_EQ(found.at("modified"), json::object());
}

}  // namespace
}  // namespace weft::test
