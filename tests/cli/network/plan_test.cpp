// --plan: written if there is no such file, followed if there is one, and refused in one line if it
// does not suit.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

using Json = nlohmann::ordered_json;

class PlanTest : public testing::Test {
 protected:
  /// The --json report of a run that follows the plan or writes it.
  static Json report(const std::string& plan, const std::string& engine = "analytic") {
    const Finished run = run_weft({"run", "lenet5", "--machine", "tpu-v2", "--batch", "4",
                                   "--engine", engine, "--plan", plan, "--json", "-"});
    EXPECT_EQ(run.code, 0) << run.err;
    return Json::parse(run.out);
  }

  /// Runs with `text` as the plan.
  void expect_refused(const std::string& text, const std::string& message) const {
    const std::string file = folder_.write("changed.json", text);
    const Finished run = run_weft({"run", "lenet5", "--machine", "tpu-v2", "--batch", "4",
                                   "--engine", "analytic", "--plan", file});
    EXPECT_EQ(run.code, 2) << message;
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find(file + ": "), std::string::npos) << run.err;
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
    EXPECT_EQ(folder_.read("changed.json"), text);
  }

  TemporaryFolder folder_;
};

TEST_F(PlanTest, IsWrittenThenFollowed) {
  const std::string file = folder_.file("plan.json");
  const Json searched = report(file);
  const std::string written = folder_.read("plan.json");
  const Json followed = report(file);
  EXPECT_EQ(searched["cycles"], followed["cycles"]);
  EXPECT_EQ(searched["plan"]["hash"], followed["plan"]["hash"]);
  EXPECT_EQ(folder_.read("plan.json"), written);
}

TEST_F(PlanTest, CanBeEdited) {
  const std::string file = folder_.file("plan.json");
  const Json searched = report(file);
  Json plan = Json::parse(folder_.read("plan.json"));
  for (Json& layer : plan["programs"][0]["layers"]) {
    if (layer["layer"] == "c3") layer["chunk_rows"] = 1;
  }
  const Json slow = report(folder_.write("slow.json", plan.dump()));
  EXPECT_GT(slow["cycles"]["total"], searched["cycles"]["total"]);
  EXPECT_NE(slow["plan"]["hash"], searched["plan"]["hash"]);
  const Json values = report(folder_.file("slow.json"), "fast");
  EXPECT_EQ(values["cycles"]["total"], slow["cycles"]["total"]);
  EXPECT_EQ(values["check"]["agrees"], true);
}

TEST_F(PlanTest, IsRefusedForAnythingElse) {
  const std::string file = folder_.file("plan.json");
  report(file);
  const auto refused = [&](const Words& words, const std::string& message) {
    Words all = words;
    all.insert(all.end(), {"--plan", file});
    const Finished run = run_weft(all);
    EXPECT_EQ(run.code, 2);
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
  };
  refused({"run", "alexnet", "--machine", "tpu-v2"}, "is a plan for 'lenet5', not for 'alexnet'");
  refused({"run", "lenet5", "--machine", "tpu-v2"}, "of other shapes or other layers");
  refused({"run", "lenet5", "--batch", "4", "--machine", "tpu-v2", "--array.rows", "64"},
          "array.rows is '128' there and 64 here");
  refused({"run", "lenet5", "--batch", "4", "--machine", "tpu-v2", "--sensitivity"}, "drop --plan");
  refused({"run", "lenet5", "--batch", "4", "--machine", "tpu-v2", "--json", file},
          "would replace the plan");
  refused({"run", "lenet5", "--batch", "4", "--machine", "tpu-v2", "--optimize", "1"},
          "drop --optimize");
  refused({"compile", "lenet5", "--batch", "4", "--machine", "tpu-v2", "--optimize", "0"},
          "drop --optimize");
  refused({"run", "lenet5", "--backend", "cpu"}, "--plan: has no effect");
  refused({"conv", "--input", "1,3,8,8", "--filters", "4", "--kernel", "3,3", "--taps", "apart"},
          "drop --taps");
}

TEST_F(PlanTest, NeedsAName) {
  const Finished run = run_weft({"run", "lenet5", "--plan", ""});
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.err, "weft: --plan: the name is empty; give one\n");
}

TEST_F(PlanTest, NonsenseIsRefusedWithItsField) {
  report(folder_.file("plan.json"));
  const Json plan = Json::parse(folder_.read("plan.json"));
  const auto with = [&](const std::string& pointer, const Json& value) {
    Json changed = plan;
    changed[Json::json_pointer(pointer)] = value;
    return changed.dump();
  };
  expect_refused("", "is not a plan: it is empty");
  expect_refused(R"({"weft": )",
                 "is not a plan: it is not JSON, line 1, column 10: unexpected end");
  expect_refused("{\n \"weft\": \"1\",\n}", "it is not JSON, line 3, column 1: unexpected '}'");
  expect_refused("{\"weft\": \"1\",\n \"weft\xFF\": 2}", "it is not JSON, line 2, column 7");
  expect_refused("{\"weft\": 1e999}", "it is not JSON, a number is out of range");
  expect_refused(R"({"a": [{"weft": 1}, {"weft": 1}], "a": 1})",
                 "has the field 'a' twice in one object");
  expect_refused(R"({"a": {"b": {}, "weft": 1, "weft": 1}})",
                 "has the field 'weft' twice in one object");
  expect_refused("[]", "is not an object");
  expect_refused("{}", "weft is missing");
  expect_refused(with("/weft", "0.0.9"), "is a plan of weft '0.0.9'");
  expect_refused(with("/more", 1), "'more' is no field");
  expect_refused(with("/packed_taps", 1), "packed_taps is none of true, false and null");
  expect_refused(with("/network/name", "alexnet"), "is a plan for 'alexnet', not for 'lenet5'");
  expect_refused(with("/machine/array.depth", "1"), "machine.'array.depth' is no field");
  expect_refused(with("/programs", 1), "programs is not a list");
  expect_refused(with("/programs", Json::array()), "layer 'c1' is missing");
  expect_refused(with("/programs/0/fit", "best"), "must be \"next\" or \"first\"");
  expect_refused(with("/programs/0/fit", 2), "fit is no text; must be \"next\" or \"first\"");
  expect_refused(with("/programs/0/staging_rows", 1000000000), "layer 'c1': staging_rows");
  expect_refused(with("/programs/0/staging_rows", 1), "staging_rows = 1: too small");
  expect_refused(with("/programs/0/layers/0/layer", "c9"), "layer 'c9': here the network has");
  expect_refused(with("/programs/0/layers/0/form", 9), "layer 'c1': form = 9");
  expect_refused(with("/programs/0/layers/0/form", -1),
                 "layer 'c1': form is not a whole number of at least 0");
  expect_refused(with("/programs/0/layers/0/images", 3), "layer 'c1': images = 3: must divide");
  expect_refused(with("/programs/0/layers/0/chunk_rows", 5000), "layer 'c1': chunk_rows = 5000");
  expect_refused(with("/programs/0/layers/1/chunk_rows", 5), "layer 'c1.tanh': chunk_rows = 5");
  expect_refused(with("/programs/0/layers/0/rows", 5), "layer 'c1': 'rows' is no field");
  Json short_plan = plan;
  short_plan["programs"][0]["layers"].erase(0);
  expect_refused(short_plan.dump(), "here the network has layer 'c1'");
}

}  // namespace
}  // namespace weft::test
