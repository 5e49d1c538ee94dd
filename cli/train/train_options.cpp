#include "cli/train/train_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/output_file.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "cli/options/common_options.h"
#include "cli/options/search_options.h"
#include "models/networks/networks.h"
#include "runtime/workload/network_source.h"
#include "sim/config/config_keys.h"

namespace weft::cli {
namespace {

using training::Method;

// The first of each list is the default.
constexpr std::array kDevices = {runtime::TrainDevice::kCpu, runtime::TrainDevice::kCuda,
                                 runtime::TrainDevice::kSim};
constexpr std::array kChosenTypes = {runtime::TrainType::kFloat32, runtime::TrainType::kBf16,
                                     runtime::TrainType::kFp16};
constexpr std::array kMethods = {Method::kSgd, Method::kAdam, Method::kAdamW};
constexpr std::uint64_t kMostEpochs = 1'000'000;
constexpr double kLargestRate = 1e30;  // far below the largest binary32 number
constexpr double kSgdRate = 0.05;
constexpr double kAdamRate = 0.001;
constexpr double kSgdMomentum = 0.9;

/// Returns the choice that the option names.
template <class Choice, std::size_t kCount>
Choice read_choice(const Arguments& arguments, const std::string& option,
                   const std::array<Choice, kCount>& choices) {
  const auto text = arguments.text(option);
  if (!text) return choices.front();
  std::vector<std::string_view> names;
  for (const Choice choice : choices) {
    names.push_back(to_string(choice));
    if (names.back() == *text) return choice;
  }
  throw InputError(fmt::format("--{} {}: unknown; must be one of {}", option, printable(*text),
                               fmt::join(names, ", ")));
}

std::uint64_t read_count(const Arguments& arguments, const std::string& option, std::uint64_t low,
                         std::uint64_t high, std::uint64_t otherwise) {
  const auto text = arguments.text(option);
  return text ? parse_number(*text, "--" + option, low, high) : otherwise;
}

double read_real(const Arguments& arguments, const std::string& option, double high,
                 double otherwise) {
  const auto text = arguments.text(option);
  if (!text) return otherwise;
  double value = 0;
  const char* const end = text->data() + text->size();
  const auto [at, error] = std::from_chars(text->data(), end, value);
  if (error == std::errc{} && at == end && value >= 0 && value <= high) return value;
  throw InputError(
      fmt::format("--{} {}: must be a number from 0 to {}", option, printable(*text), high));
}

void refuse(const Arguments& arguments, std::initializer_list<const char*> options,
            std::string_view why) {
  for (const char* option : options) {
    if (arguments.has(option)) throw InputError(fmt::format("--{}: {}", option, why));
  }
}

training::OptimizerOptions read_optimizer(const Arguments& arguments) {
  training::OptimizerOptions options;
  options.method = read_choice(arguments, "optimizer", kMethods);
  const bool sgd = options.method == Method::kSgd;
  options.learning_rate =
      read_real(arguments, "learning-rate", kLargestRate, sgd ? kSgdRate : kAdamRate);
  options.weight_decay = read_real(arguments, "weight-decay", kLargestRate, 0);
  if (!sgd) {
    refuse(arguments, {"momentum", "nesterov"}, "is for --optimizer sgd");
    return options;
  }
  options.momentum = read_real(arguments, "momentum", 1, kSgdMomentum);
  options.nesterov = arguments.has("nesterov");
  if (options.nesterov && options.momentum == 0) {
    throw InputError("--nesterov: is a form of momentum; give --momentum above 0");
  }
  return options;
}

/// The machine's options have no effect on the other backends.
void refuse_machine_flags(const Arguments& arguments) {
  constexpr std::string_view kWhy = "is for --backend sim";
  refuse(arguments, {"machine", "machine-out", "engine", "optimize"}, kWhy);
  const po::options_description keys = machine_options();
  for (const auto& key : keys.options()) {
    refuse(arguments, {key->long_name().c_str()}, kWhy);
  }
}

ElementType element_type(runtime::TrainType type) {
  if (type == runtime::TrainType::kInt8) return ElementType::kInt8;
  return type == runtime::TrainType::kBf16 ? ElementType::kBf16 : ElementType::kFp16;
}

runtime::TrainType type_of(ElementType type) {
  if (type == ElementType::kInt8) return runtime::TrainType::kInt8;
  return type == ElementType::kBf16 ? runtime::TrainType::kBf16 : runtime::TrainType::kFp16;
}

void read_simulation(const Arguments& arguments, runtime::TrainRequest& request) {
  request.machine = read_machine(arguments);
  if (!arguments.has("dtype")) {
    if (request.machine.dtype == ElementType::kInt8 && request.epochs > 0) {
      throw InputError(
          fmt::format("--machine {}: its int8 array cannot train; give --dtype bf16 or fp16, or "
                      "--epochs 0 to measure",
                      printable(request.machine.name)));
    }
    request.type = type_of(request.machine.dtype);
  } else if (request.type == runtime::TrainType::kFloat32) {
    throw InputError("--dtype float32: the array multiplies bf16 or fp16; give one of these");
  } else if (arguments.has("array.dtype") && request.machine.dtype != element_type(request.type)) {
    throw InputError("--dtype and --array.dtype: name different types; drop one");
  }
  request.machine.dtype = element_type(request.type);
  const auto engine = engine_from_string(arguments.text("engine").value_or("fast"));
  if (!engine || *engine == Engine::kAnalytic) {
    throw InputError(
        fmt::format("--engine {}: computes no values or is unknown; must be fast, "
                    "timed, stepped or rtl",
                    printable(arguments.text("engine").value_or(""))));
  }
  request.engine = *engine;
  request.effort = read_search(arguments).effort;
}

void read_device(const Arguments& arguments, runtime::TrainRequest& request) {
  request.device = read_choice(arguments, "backend", kDevices);
  request.type = read_choice(arguments, "dtype", kChosenTypes);
  if (request.device == runtime::TrainDevice::kSim) return read_simulation(arguments, request);
  refuse_machine_flags(arguments);
  if (request.device == runtime::TrainDevice::kCpu &&
      request.type != runtime::TrainType::kFloat32) {
    throw InputError(fmt::format(
        "--dtype {}: the cpu backend computes in float32; give --backend sim for {} on the "
        "simulated array",
        to_string(request.type), to_string(request.type)));
  }
}

void check_outputs(const runtime::TrainRequest& request) {
  const std::pair<const char*, const std::optional<std::string>&> outputs[] = {
      {"--save", request.save}, {"--checkpoint", request.checkpoint},   {"--log", request.log},
      {"--json", request.json}, {"--machine-out", request.machine_out}, {"--html", request.html}};
  for (const auto& [option, path] : outputs) {
    if (!path || (request.json_to_stdout() && &path == &request.json)) continue;
    if (path == "-") {
      throw InputError(fmt::format("{} -: only --json can go to stdout; name a file", option));
    }
    if (&path != &request.checkpoint) check_writable(*path);
  }
}

void check_checkpoint_flags(const Arguments& arguments, const runtime::TrainRequest& request) {
  if (request.checkpoint) return;
  refuse(arguments, {"resume", "checkpoint-steps"}, "needs --checkpoint DIR");
}

std::string model_of(const Arguments& arguments) {
  if (arguments.positionals.empty()) {
    throw InputError("no network; give an .onnx file or a name that `weft networks` lists");
  }
  check_positional_count(arguments, 1);
  return arguments.positionals.front();
}

}  // namespace

po::options_description train_options() {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  po::options_description own("Training");
  own.add_options()("data", text("DIR"),
                    "MNIST's IDX files, plain or .gz, or train_images.npy, train_labels.npy, "
                    "test_images.npy and test_labels.npy; the embedded 8x8 digits if not given")(
      "backend", text("NAME"), "cpu (default), cuda, or sim: the simulated machine")(
      "epochs", text("N"), "20 if not given; 0 only measures")(
      "batch", text("N"), "images per step; 32 if not given and the file leaves it open")(
      "optimizer", text("NAME"), "sgd (default), adam or adamw")(
      "learning-rate", text("X"), "0.05 for sgd, 0.001 for the others if not given")(
      "momentum", text("X"), "momentum of sgd, from 0 to 1; 0.9 if not given")(
      "nesterov", "use Nesterov's form of momentum")("weight-decay", text("X"), "0 if not given")(
      "dtype", text("NAME"), "float32 (cpu, cuda), bf16 or fp16 (sim, cuda)")(
      "seed", text("N"),
      "seed of the images' order and of a built-in network's weights; 1 if not given");
  po::options_description files("Files");
  files.add_options()("save", text("MODEL.onnx"), "write the trained network")(
      "checkpoint", text("DIR"), "write a checkpoint after each epoch")(
      "checkpoint-steps", text("N"), "also write one after every N steps")(
      "resume", "continue from the checkpoint")("log", text("FILE.csv"),
                                                "write one line per epoch");
  files.add_options()("json", text("FILE"), "write the figures as JSON; - is stdout")(
      "html", text("FILE"), "write an HTML page: curves of loss and accuracy");
  po::options_description simulation("Simulation");
  simulation.add_options()("engine", text("NAME"), "fast (default), timed, stepped or rtl")(
      "threads", text("N"), "threads of the simulation's kernels; all cores if not given");
  po::options_description all;
  all.add(own).add(files).add(simulation).add(effort_flag()).add(machine_flags());
  return all.add(general_flags({quiet_flag(), help_option()}));
}

runtime::TrainRequest read_train_request(const Arguments& arguments) {
  runtime::TrainRequest request;
  request.command_line = command_line("train", arguments.words);
  request.model = model_of(arguments);
  request.is_file = runtime::names_file(request.model);
  if (!request.is_file) networks::find_network(request.model);
  request.data = arguments.text("data");
  request.epochs = read_count(arguments, "epochs", 0, kMostEpochs, runtime::kDefaultEpochs);
  read_device(arguments, request);
  if (arguments.has("batch")) {
    request.batch =
        static_cast<std::int64_t>(read_count(arguments, "batch", 1, networks::kLargestBatch, 1));
  }
  request.optimizer = read_optimizer(arguments);
  request.seed = read_count(arguments, "seed", 0, UINT64_MAX, runtime::kDefaultSeed);
  request.threads = static_cast<unsigned>(
      read_count(arguments, "threads", 1, 1024, std::max(1U, std::thread::hardware_concurrency())));
  request.save = arguments.text("save");
  request.checkpoint = arguments.text("checkpoint");
  if (arguments.has("checkpoint-steps")) {
    request.every_steps = read_count(arguments, "checkpoint-steps", 1, UINT64_MAX, 1);
  }
  request.resume = arguments.has("resume");
  request.log = arguments.text("log");
  request.json = arguments.text("json");
  request.html = arguments.text("html");
  request.machine_out = machine_out(arguments);
  request.quiet = arguments.has("quiet");
  check_checkpoint_flags(arguments, request);
  check_outputs(request);
  return request;
}

}  // namespace weft::cli
