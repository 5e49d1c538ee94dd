// Runs `weft train` as a user does. Checks its output and files, and that a run killed at any
// moment resumes to the same bits.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

using nlohmann::json;

const Words kQuick = {"train", "digits-mlp", "--epochs", "3"};

/// Returns the parts between separators. A separator at the end adds no empty part.
Words split(std::string_view text, char separator) {
  Words parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

Words lines_of(std::string_view text) {
  return split(text, '\n');
}

Words cells_of(std::string_view line) {
  return split(line, ',');
}

Finished good(const Words& words) {
  Finished finished = run_weft(words);
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  return finished;
}

TEST(TrainCommandTest, PrintsALineAnEpoch) {
  const Words lines = lines_of(good(kQuick).out);
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_EQ(lines[0], "network    digits-mlp, batch 32, 2,410 parameters");
  EXPECT_EQ(lines[1], "data       embedded digits: 1,438 images to train, 359 to test");
  EXPECT_EQ(lines[2], "training   sgd, learning rate 0.05, momentum 0.9; float32 on cpu; seed 1");
  EXPECT_EQ(lines[4], "epoch    steps       loss  accuracy  test loss  test acc.     time");
  for (int epoch = 1; epoch <= 3; ++epoch) {
    std::istringstream cells(lines.at(static_cast<std::size_t>(4 + epoch)));
    int number = 0;
    int steps = 0;
    cells >> number >> steps;
    EXPECT_EQ(number, epoch);
    EXPECT_EQ(steps, epoch * 44);  // 1438 / 32, rounded down
  }
  EXPECT_TRUE(lines[9].starts_with("time       ")) << lines[9];
}

TEST(TrainCommandTest, IsSilentWhenToldTo) {
  EXPECT_EQ(good(kQuick + Words{"--quiet"}).out, "");
}

TEST(TrainCommandTest, WritesJsonWithTheDocumentedKeys) {
  const auto report = nlohmann::ordered_json::parse(good(kQuick + Words{"--json", "-"}).out);
  Words keys;
  for (const auto& item : report.items()) keys.push_back(item.key());
  EXPECT_EQ(keys, (Words{"schema", "command", "backend", "engine", "machine", "workload", "data",
                         "epochs", "cycles_per_step", "critical_path", "bound", "host_layers",
                         "skipped_steps", "saved", "simulator"}));
  EXPECT_EQ(report["epochs"].size(), 3U);
  EXPECT_EQ(report["workload"]["steps_per_epoch"], 44);
  EXPECT_EQ(report["machine"], nullptr);
  EXPECT_EQ(report["epochs"][2]["step"], 132);
  EXPECT_LT(report["epochs"][2]["train"]["loss"], report["epochs"][0]["train"]["loss"]);
}

TEST(TrainCommandTest, AccountsForEveryCycleOfASimulatedStep) {
  const json report = json::parse(
      good({"train", "digits-mlp", "--epochs", "1", "--backend", "sim", "--json", "-"}).out);
  const json& cycles = report.at("cycles_per_step");
  std::int64_t sum = 0;
  for (const auto& [name, value] : cycles.items()) {
    if (name != "total") sum += value.get<std::int64_t>();
  }
  EXPECT_GT(sum, 0);
  EXPECT_EQ(cycles.at("total"), sum);
  EXPECT_EQ(report.at("epochs").at(0).at("cycles_per_step"), cycles);
  std::int64_t on_path = 0;
  for (const auto& [part, value] : report.at("critical_path").items()) {
    if (part != "total") on_path += value.get<std::int64_t>();
  }
  EXPECT_EQ(cycles.at("total"), on_path);
  EXPECT_EQ(report.at("machine").at("dtype"), "bf16");
  EXPECT_DOUBLE_EQ(
      report.at("bound").at("ratio").get<double>() * report.at("bound").at("cycles").get<double>(),
      cycles.at("total").get<double>());
  EXPECT_GE(cycles.at("total"), report.at("bound").at("cycles"));
}

TEST(TrainCommandTest, LogsWhatTheJsonSays) {
  const TemporaryFolder folder;
  for (const Words& backend : {Words{}, Words{"--backend", "sim", "--dtype", "fp16"}}) {
    const json report = json::parse(
        good(kQuick + backend + Words{"--json", "-", "--log", folder.file("log.csv")}).out);
    const Words lines = lines_of(folder.read("log.csv"));
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[0],
              "epoch,step,train_loss,train_accuracy,test_loss,test_accuracy,loss_scale,"
              "cycles_per_step,array_active,weight_shift,weight_stall,input_stall,raw_stall,"
              "fill_drain,vector,output,idle,seconds");
    const Words names = cells_of(lines[0]);
    for (std::size_t i = 0; i < 3; ++i) {
      const Words cells = cells_of(lines[i + 1]);
      ASSERT_EQ(cells.size(), names.size());
      const json& epoch = report.at("epochs").at(i);
      EXPECT_EQ(std::stod(cells[2]), epoch["train"]["loss"].get<double>());
      EXPECT_EQ(std::stod(cells[3]), epoch["train"]["accuracy"].get<double>());
      EXPECT_EQ(std::stod(cells[4]), epoch["test"]["loss"].get<double>());
      EXPECT_EQ(std::stod(cells[5]), epoch["test"]["accuracy"].get<double>());
      if (backend.empty()) {
        for (std::size_t j = 6; j < 17; ++j) EXPECT_EQ(cells[j], "");
        continue;
      }
      EXPECT_EQ(std::stod(cells[6]), epoch["loss_scale"].get<double>());
      EXPECT_EQ(std::stoull(cells[7]), epoch["cycles_per_step"]["total"].get<std::uint64_t>());
      for (std::size_t j = 8; j < 17; ++j) {
        EXPECT_EQ(std::stoull(cells[j]), epoch["cycles_per_step"][names[j]].get<std::uint64_t>());
      }
    }
  }
}

TEST(TrainCommandTest, SavesANetworkThatRunsAtAnyBatch) {
  const TemporaryFolder folder;
  const std::string model = folder.file("model.onnx");
  good(kQuick + Words{"--quiet", "--save", model});
  good({"run", model, "--batch", "7", "--machine", "tiny", "--array.dtype", "bf16", "--quiet"});
  const Finished measured = good({"train", model, "--epochs", "0", "--batch", "100"});
  const Finished trained = good(kQuick);
  // Losses and accuracies do not depend on the batch size.
  std::istringstream last(lines_of(trained.out).at(7));
  std::istringstream only(lines_of(measured.out).at(5));
  std::string a;
  std::string b;
  for (int cell = 0; cell < 8; ++cell) {
    last >> a;
    only >> b;
    if (cell >= 2) {
      EXPECT_EQ(a, b) << cell;
    }
  }
}

TEST(TrainCommandTest, TrainsASavedNetworkOn) {
  const TemporaryFolder folder;
  good(kQuick + Words{"--quiet", "--save", folder.file("one.onnx")});
  const json report =
      json::parse(good({"train", folder.file("one.onnx"), "--epochs", "2", "--learning-rate",
                        "0.01", "--json", "-", "--save", folder.file("two.onnx")})
                      .out);
  EXPECT_GT(report["epochs"][1]["test"]["accuracy"].get<double>(), 0.9);
  EXPECT_NE(folder.read("one.onnx"), folder.read("two.onnx"));
}

TEST(TrainCommandTest, GivesTheSameBitsForTheSameSeed) {
  const TemporaryFolder folder;
  const auto saved = [&](const std::string& name, const Words& more) {
    good(kQuick + more + Words{"--quiet", "--save", folder.file(name)});
    return folder.read(name);
  };
  const std::string one = saved("a.onnx", {});
  EXPECT_EQ(saved("b.onnx", {}), one);
  EXPECT_NE(saved("c.onnx", {"--seed", "2"}), one);
  EXPECT_NE(saved("d.onnx", {"--optimizer", "adam"}), one);
  EXPECT_NE(saved("e.onnx", {"--nesterov"}), one);
  EXPECT_NE(saved("f.onnx", {"--weight-decay", "0.001"}), one);
  EXPECT_NE(saved("g.onnx", {"--momentum", "0.8"}), one);
  EXPECT_NE(saved("h.onnx", {"--learning-rate", "0.04"}), one);
  EXPECT_NE(saved("i.onnx", {"--batch", "31"}), one);
  const std::string simulated = saved("j.onnx", {"--backend", "sim"});
  EXPECT_NE(simulated, one);
  EXPECT_EQ(saved("k.onnx", {"--backend", "sim", "--threads", "1"}), simulated);
}

TEST(TrainCommandTest, WritesAPageWithItsEpochs) {
  const TemporaryFolder folder;
  good(kQuick + Words{"--quiet", "--html", folder.file("page.html")});
  const std::string page = folder.read("page.html");
  EXPECT_NE(page.find("<title>train digits-mlp on cpu</title>"), std::string::npos);
  EXPECT_NE(page.find("\"training\":{"), std::string::npos);
}

// --- Resuming -----------------------------------------------------------------------------------

pid_t start(const Words& arguments) {
  Words words = Words{command()} + arguments;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  EXPECT_EQ(::posix_spawn(&child, argv.front(), nullptr, nullptr, argv.data(), environ), 0);
  return child;
}

/// Kills the process after `delay`. Returns true if it was still running.
bool killed_after(pid_t child, std::chrono::microseconds delay) {
  std::this_thread::sleep_for(delay);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

std::string without_seconds(const std::string& csv) {
  std::string text;
  for (const std::string& line : lines_of(csv)) text += line.substr(0, line.rfind(',')) + '\n';
  return text;
}

void survives_being_killed(const Words& training) {
  constexpr unsigned kSeed = 20250118;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  constexpr int kKills = 12;
  const TemporaryFolder folder;
  good(training +
       Words{"--quiet", "--save", folder.file("whole.onnx"), "--log", folder.file("whole.csv")});
  const std::string checkpoints = folder.file("checkpoints");
  const Words words = training + Words{"--quiet",
                                       "--save",
                                       folder.file("resumed.onnx"),
                                       "--log",
                                       folder.file("resumed.csv"),
                                       "--checkpoint",
                                       checkpoints,
                                       "--checkpoint-steps",
                                       "3"};
  const auto resumed = [&] {
    const bool begun = std::filesystem::exists(checkpoints + "/checkpoint.weft");
    return begun ? words + Words{"--resume"} : words;
  };
  std::mt19937 random(kSeed);
  int kills = 0;
  for (int i = 0; i < kKills; ++i) {
    kills += killed_after(start(resumed()), std::chrono::microseconds(random() % 60'000)) ? 1 : 0;
  }
  EXPECT_GT(kills, 3);
  const Finished finished = run_weft(resumed());
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(folder.read("resumed.onnx"), folder.read("whole.onnx"));
  EXPECT_EQ(without_seconds(folder.read("resumed.csv")), without_seconds(folder.read("whole.csv")));
}

TEST(TrainResumeTest, GoesOnToTheSameBitsWheneverItIsKilled) {
  survives_being_killed({"train", "digits-mlp", "--epochs", "40", "--optimizer", "adam"});
}

TEST(TrainResumeTest, DoesSoOnTheSimulatedMachine) {
  survives_being_killed(
      {"train", "digits-mlp", "--epochs", "12", "--backend", "sim", "--dtype", "fp16"});
}

/// Waits until the file exists, at most ten seconds.
bool appears(const std::string& file) {
  for (int i = 0; i < 1000 && !std::filesystem::exists(file); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return std::filesystem::exists(file);
}

TEST(TrainResumeTest, AnInterruptSaysWhatWasKept) {
  const TemporaryFolder folder;
  const std::string checkpoints = folder.file("c");
  const std::string err = folder.file("err");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    // NOLINTBEGIN(cppcoreguidelines-owning-memory): the streams belong to the C library
    if (std::freopen(err.c_str(), "w", stderr) == nullptr) ::_exit(1);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(1);
    // NOLINTEND(cppcoreguidelines-owning-memory)
    ::execl(WEFT_BINARY, WEFT_BINARY, "train", "digits-cnn", "--epochs", "1000", "--checkpoint",
            checkpoints.c_str(), nullptr);
    ::_exit(1);
  }
  ASSERT_TRUE(appears(checkpoints + "/checkpoint.weft"));
  // Without the lock, this would end at once: the epoch is done already, or soon.
  const Finished second =
      run_weft({"train", "digits-cnn", "--epochs", "1", "--checkpoint", checkpoints, "--resume"});
  EXPECT_EQ(second.code, 2);
  EXPECT_NE(second.err.find("another training uses this folder"), std::string::npos) << second.err;
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  const std::string text = folder.read("err");
  EXPECT_NE(text.find("interrupted; " + checkpoints), std::string::npos) << text;
  EXPECT_NE(text.find("--resume"), std::string::npos) << text;
}

TEST(TrainResumeTest, TakesMoreEpochsThanBefore) {
  const TemporaryFolder folder;
  const Words common = {"train", "digits-mlp", "--quiet", "--checkpoint", folder.file("c")};
  good(common + Words{"--epochs", "2"});
  good(common + Words{"--epochs", "3", "--resume", "--save", folder.file("resumed.onnx")});
  good(kQuick + Words{"--quiet", "--save", folder.file("whole.onnx")});
  EXPECT_EQ(folder.read("resumed.onnx"), folder.read("whole.onnx"));
}

TEST(TrainResumeTest, SaysWhereItGoesOn) {
  const TemporaryFolder folder;
  const Words words = kQuick + Words{"--checkpoint", folder.file("c")};
  good(words);
  const std::string nothing = good(words + Words{"--resume"}).out;
  EXPECT_NE(nothing.find("resumed    after step 132; all requested epochs are done\n"),
            std::string::npos)
      << nothing;
  const std::string more =
      good({"train", "digits-mlp", "--epochs", "4", "--checkpoint", folder.file("c"), "--resume"})
          .out;
  EXPECT_NE(more.find("resumed    after step 132\n"), std::string::npos) << more;
}

TEST(TrainResumeTest, ClearsAwayWhatAKilledRunLeft) {
  const TemporaryFolder folder;
  const Words words = kQuick + Words{"--quiet", "--checkpoint", folder.file("c")};
  good(words);
  folder.write("c/.checkpoint.weft.123.tmp", "half");
  good(words + Words{"--resume"});
  EXPECT_FALSE(std::filesystem::exists(folder.file("c/.checkpoint.weft.123.tmp")));
}

}  // namespace
}  // namespace weft::test
