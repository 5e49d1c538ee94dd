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

TEST_F(PlanTest, ARunSaysWhetherItWroteOrFollowedAPlan) {
  const std::string file = folder_.file("plan.json");
  const auto notes = [&](const Words& more) {
    const Finished run =
        run_weft(Words{"run", "lenet5", "--machine", "tiny", "--engine", "analytic"} + more);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out;
  };
  EXPECT_EQ(notes({}).find("the plan"), std::string::npos);
  EXPECT_NE(notes({"--plan", file}).find("note       wrote the plan to " + file),
            std::string::npos);
  EXPECT_NE(notes({"--plan", file}).find("note       followed the plan in " + file),
            std::string::npos);
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
  refused({"run", "lenet5", "--machine", "tpu-v2"},
          "is a plan for 'lenet5' with the inputs 'image float32 4x1x28x28', and here they are "
          "'image float32 1x1x28x28'");
  refused({"run", "lenet5", "--batch", "4", "--machine", "tpu-v2", "--array.rows", "64"},
          "array.rows is '128' there and 64 here");
  refused({"run", "lenet5", "--batch", "4", "--machine", "tpu-v2", "--sensitivity"}, "drop --plan");
  refused({"run", "lenet5", "--batch", "4", "--machine", "tpu-v2", "--json", file},
          "named by both --plan and --json");
  refused({"run", "lenet5", "--batch", "4", "--machine", "tpu-v2", "--optimize", "1"},
          "drop --optimize");
  refused({"compile", "lenet5", "--batch", "4", "--machine", "tpu-v2", "--optimize", "0"},
          "drop --optimize");
  refused({"run", "lenet5", "--backend", "cpu"}, "--plan: has no effect");
  refused({"conv", "--input", "1,3,8,8", "--filters", "4", "--kernel", "3,3", "--taps", "apart"},
          "drop --taps");
}

/// The fields of one layer can be as edited only with other choices of all layers.
TEST_F(PlanTest, NamesTheEditedFieldOfAllLayersOfAProduct) {
  const Words conv = {"conv", "--input",   "1,1000,1000,1", "--filters", "1",        "--kernel",
                      "1",    "--machine", "tpu-v2",        "--engine",  "analytic", "--plan"};
  const auto error_with = [&](const std::string& name, const Json& plan) {
    const Finished refused = run_weft(conv + Words{folder_.write(name, plan.dump())});
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
    return refused.err;
  };
  ASSERT_EQ(run_weft(conv + Words{folder_.file("kept.json")}).code, 0);
  const Json plan = Json::parse(folder_.read("kept.json"));
  ASSERT_EQ(plan["joined_lines"], false);
  Json changed = plan;
  changed["joined_lines"] = nullptr;
  EXPECT_NE(error_with("lines.json", changed)
                .find("joined_lines = null: the layers of the plan "
                      "suit false"),
            std::string::npos);
  changed = plan;
  changed["network"]["inputs"] = "x";
  EXPECT_NE(error_with("inputs.json", changed).find("with the inputs 'x', and here they are"),
            std::string::npos);
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
  expect_refused(with("/programs/0/staging_rows", 1000000000), "programs[0]: staging_rows");
  expect_refused(with("/programs/0/round", 3),
                 "programs[0]: round = 3: must divide the batch of 4");
  expect_refused(with("/programs/0/rounds_at_once", 0), "rounds_at_once is not a whole number");
  expect_refused(with("/programs/0/rounds_at_once", 9),
                 "programs[0]: rounds_at_once = 9: must be 1 to 4, the rounds of the batch");
  expect_refused(with("/programs/0/tile_slots", 9999), "programs[0]: tile_slots = 9999: the most");
  expect_refused(with("/programs/0/staging_rows", 1),
                 "programs[0]: staging_rows = 1: too small for");
  expect_refused(with("/programs/0/layers/0/layer", "c9"), "layer 'c9': here the network has");
  expect_refused(with("/programs/0/layers/0/form", 9), "layer 'c1': form = 9");
  expect_refused(with("/programs/0/layers/0/form", -1),
                 "layer 'c1': form is not a whole number of at least 0");
  expect_refused(with("/programs/0/layers/0/buffered_tiles", -1),
                 "layer 'c1': buffered_tiles is not a whole number from 0 to 64");
  expect_refused(with("/programs/0/layers/0/buffered_tiles", 65),
                 "layer 'c1': buffered_tiles is not a whole number from 0 to 64");
  expect_refused(with("/programs/0/tile_slots", -1),
                 "tile_slots is not a whole number of at least 0");
  expect_refused(with("/programs/0/tile_slots", 5000000000), "tile_slots is too large");
  expect_refused(with("/programs/0/layers/0/images", 3), "layer 'c1': images = 3: must divide");
  expect_refused(with("/programs/0/layers/0/chunk_rows", 5000), "layer 'c1': chunk_rows = 5000");
  expect_refused(with("/programs/0/layers/1/chunk_rows", 5),
                 "layer 'c1.tanh/copy': chunk_rows = 5");
  expect_refused(with("/programs/0/layers/0/rows", 5), "layer 'c1': 'rows' is no field");
  expect_refused(with("/network/fingerprint", "0"), "with other shapes or other layers");
  expect_refused(with("/programs/0/product", Json::object()),
                 "programs[0].product stands beside layers");
  expect_refused(with("/programs/1", plan["programs"][0]),
                 "programs has 2, and the network becomes 1");
  Json short_plan = plan;
  short_plan["programs"][0]["layers"].erase(0);
  expect_refused(short_plan.dump(), "here the network has layer 'c1'");
}

// On tpu-v1 joined lines give LeNet-5 one more layer, so another choice misses a layer that nobody
// edited.
TEST_F(PlanTest, AChoiceOfAllLayersIsBlamedAndNotTheLayer) {
  const Words run = {"run", "lenet5", "--machine", "tpu-v1", "--engine", "analytic", "--plan"};
  const auto with_plan = [&](const std::string& file) {
    Words words = run;
    words.push_back(file);
    return run_weft(words);
  };
  ASSERT_EQ(with_plan(folder_.file("lines.json")).code, 0);
  Json plan = Json::parse(folder_.read("lines.json"));
  ASSERT_TRUE(plan["joined_lines"].is_null());
  plan["joined_lines"] = false;
  const std::string file = folder_.write("apart.json", plan.dump());
  const Finished refused = with_plan(file);
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.err, "weft: lenet5: " + file +
                             ": joined_lines = false: the layers of the plan suit null (layer "
                             "'s2/copy': here the network has layer 's2')\n");
}

TEST_F(PlanTest, AProductIsRefusedWithOneField) {
  const Words conv = {"conv",     "--input", "1,64,256,1", "--filters", "256",
                      "--kernel", "1",       "--machine",  "tpu-v2",    "--plan"};
  const auto with_plan = [&](const std::string& file) {
    Words words = conv;
    words.push_back(file);
    return run_weft(words);
  };
  ASSERT_EQ(with_plan(folder_.file("product.json")).code, 0);
  const Json plan = Json::parse(folder_.read("product.json"));
  const auto error_of = [&](const char* field, const Json& value) {
    Json changed = plan;
    changed["programs"][0]["product"][field] = value;
    const Finished refused = with_plan(folder_.write("changed.json", changed.dump()));
    EXPECT_EQ(refused.code, 2);
    EXPECT_LT(refused.err.size(), 250U) << refused.err;
    return refused.err;
  };
  EXPECT_NE(error_of("activation_slots", 7).find("layer 'conv': activation_slots = 7: must be "),
            std::string::npos);
  EXPECT_NE(error_of("bias_slots", 9).find("layer 'conv': bias_slots = 9: must be 0 with"),
            std::string::npos);
  EXPECT_NE(error_of("buffered_tiles", 64).find("buffered_tiles = 64: the product has no tile_slo"),
            std::string::npos);
  EXPECT_NE(error_of("buffered_tiles", 65).find("buffered_tiles"), std::string::npos);
  EXPECT_NE(error_of("tile_slots", 4).find("buffered_tiles = 0: leaves no tile for the tile_slots"),
            std::string::npos);
  EXPECT_NE(error_of("weight_fifo_tiles", 5)
                .find("layer 'conv': weight_fifo_tiles = 5: must be 1 to 4, which the machine has"),
            std::string::npos);
  EXPECT_NE(error_of("queue_depth", 0).find("layer 'conv': queue_depth = 0: must be 1 to 16, whi"),
            std::string::npos);
  Json many = plan;
  many["programs"][0]["product"]["buffered_tiles"] = 64;
  many["programs"][0]["product"]["tile_slots"] = 100000;
  EXPECT_NE(with_plan(folder_.write("many.json", many.dump()))
                .err.find("layer 'conv': tile_slots = 100000: must be 1 to 2, one for"),
            std::string::npos);
  many["programs"][0]["product"]["tile_slots"] = 2;
  EXPECT_EQ(with_plan(folder_.write("two.json", many.dump())).code, 0);
  Json layers = plan;
  layers["programs"] = Json::parse(folder_.read("product.json"))["programs"];
  layers["programs"][0] = {
      {"unified_buffer_kib", 1}, {"accumulator_rows", 1}, {"weight_fifo_tiles", 1},
      {"staging_rows", 1},       {"tile_slots", 0},       {"order", "by start"},
      {"fit", "next"},           {"cut_inputs", false},   {"round", 0},
      {"rounds_at_once", 1},     {"merged", 0},           {"layers", Json::array()}};
  const Finished refused = with_plan(folder_.write("changed.json", layers.dump()));
  EXPECT_NE(refused.err.find("programs[0]: is the product 'conv', so its only field is product"),
            std::string::npos)
      << refused.err;
}

// The instructions come as for shorter queues than the machine has.
TEST_F(PlanTest, KeepsThePacingOfAProduct) {
  const Words conv = {"conv",        "--input",
                      "1,471,113,1", "--filters",
                      "1",           "--kernel",
                      "1",           "--machine",
                      "tpu-v2",      "--memory.kind",
                      "split",       "--host.gb_per_s",
                      "50",          "--weight_fifo.tiles",
                      "8",           "--engine",
                      "analytic",    "--json",
                      "-",           "--plan"};
  const auto cycles_with = [&](const std::string& file) {
    const Finished run = run_weft(conv + Words{file});
    EXPECT_EQ(run.code, 0) << run.err;
    return Json::parse(run.out)["cycles"]["total"].get<std::int64_t>();
  };
  const std::int64_t found = cycles_with(folder_.file("product.json"));
  Json plan = Json::parse(folder_.read("product.json"));
  EXPECT_EQ(cycles_with(folder_.file("product.json")), found);
  Json& product = plan["programs"][0]["product"];
  EXPECT_LT(product["queue_depth"], 16);
  product["queue_depth"] = 16;
  EXPECT_GT(cycles_with(folder_.write("deep.json", plan.dump())), found);
}

TEST_F(PlanTest, SaysInTheTableHowThePlanDividesLayers) {
  report(folder_.file("plan.json"));
  Json plan = Json::parse(folder_.read("plan.json"));
  Json& program = plan["programs"][0];
  program["round"] = program["merged"] = 0;
  program["rounds_at_once"] = 1;
  for (Json& layer : program["layers"]) layer["images"] = 4;
  for (const std::size_t layer : {0U, 1U}) program["layers"][layer]["images"] = 2;
  program["layers"][1]["bands"] = 2;
  const std::string file = folder_.write("cut.json", plan.dump());
  const Json layer = report(file)["layers"][1];
  EXPECT_EQ(layer["schedule"][0], "in groups of 2 images");
  EXPECT_EQ(layer["schedule"][1], "in 2 bands of lines, halos computed again");
  const Finished run = run_weft({"run", "lenet5", "--machine", "tpu-v2", "--batch", "4", "--engine",
                                 "analytic", "--plan", file});
  EXPECT_NE(run.out.find("] in groups of 2 images\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("] in 2 bands of lines, halos computed again\n"), std::string::npos);
}

}  // namespace
}  // namespace weft::test
