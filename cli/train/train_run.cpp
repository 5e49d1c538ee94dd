#include "cli/train/train_run.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/output_file.h"
#include "base/stopwatch.h"
#include "compiler/onnx/located.h"
#include "models/data/digits8x8.h"
#include "models/networks/count.h"
#include "models/training/trainer.h"
#include "report/machine_json.h"
#include "report/page/page.h"
#include "report/page/train_page.h"
#include "report/progress.h"
#include "report/train/train_report.h"
#include "runtime/compile.h"
#include "runtime/train/checkpoint_folder.h"
#include "runtime/train/data_folder.h"
#include "runtime/train/train_backend.h"
#include "runtime/train/train_model.h"
#include "sim/config/config_keys.h"

namespace weft::cli {
namespace {

/// The properties of the backend that affect bits or cycles.
training::Identity backend_identity(const runtime::TrainRequest& request) {
  training::Identity identity = {{"--backend", std::string(to_string(request.device))},
                                 {"--dtype", std::string(to_string(request.type))}};
  if (request.device != runtime::TrainDevice::kSim) return identity;
  // The order of additions, and so the bits, depend on the schedule.
  identity["--optimize"] = fmt::format("{}", static_cast<int>(request.effort));
  const auto machine = report::machine_json(request.machine);
  for (const auto& [key, value] : machine.items()) {
    if (key != "name") identity["machine's " + key] = value.dump();
  }
  return identity;
}

training::Identity identity_of(const runtime::TrainRequest& request, const graph::Graph& network,
                               const data::Dataset& data, std::int64_t batch) {
  training::Identity identity = backend_identity(request);
  identity["network"] = fmt::format("{} {:016x}", network.name, training::fingerprint(network));
  identity["--data"] = fmt::format("{} + {} images {:016x}", data.train.count(), data.test.count(),
                                   data::fingerprint(data));
  identity["--batch"] = fmt::format("{}", batch);
  identity["--seed"] = fmt::format("{}", request.seed);
  identity["--optimizer"] = runtime::optimizer_text(request.optimizer);
  return identity;
}

report::TrainReport start_report(const runtime::TrainRequest& request,
                                 const report::MachineFile& machine_file,
                                 const graph::Graph& network, const data::Dataset& data) {
  report::TrainReport report{.request = request, .machine_file = machine_file};
  report.parameters = networks::count_parameters(network);
  report.batch = training::classifier_shape(network).batch;
  report.data = data.name;
  report.train_images = data.train.count();
  report.test_images = data.test.count();
  return report;
}

void write_outputs(const runtime::TrainRequest& request, const report::TrainReport& report,
                   const training::NamedTensors& values) {
  if (request.save) write_file(*request.save, runtime::trained_onnx(request, values));
  if (request.json && !request.json_to_stdout()) {
    write_file(*request.json, report::json_file_text(report::train_json(report)));
  }
  if (request.machine_out) write_file(*request.machine_out, to_ini(request.machine));
  if (request.html) write_file(*request.html, report::page_html(report::train_page_data(report)));
}

void print_end(const runtime::TrainRequest& request, const report::TrainReport& report,
               const report::Streams& streams) {
  if (request.json_to_stdout()) {
    streams.out << report::json_file_text(report::train_json(report));
  } else if (!request.quiet) {
    streams.out << report::train_summary(report, streams.style);
  }
}

std::unique_ptr<training::Trainer> make_trainer(const runtime::TrainRequest& request,
                                                const graph::Graph& network,
                                                const data::Dataset& data,
                                                const runtime::TrainBackend& backend) {
  const training::TrainerOptions options = {
      .optimizer = request.optimizer,
      .seed = request.seed,
      .scaled_loss = request.type == runtime::TrainType::kFp16};
  return onnx_io::located(request.model, [&] {
    return std::make_unique<training::Trainer>(network, data, options, backend.prepare);
  });
}

/// Shows the searches for schedules, one bar after the other, while a backend prepares its graphs.
class SearchProgress {
 public:
  explicit SearchProgress(const report::Streams& streams) : streams_(streams) {}

  runtime::TrainBackend make_backend(const runtime::TrainRequest& request) {
    runtime::TrainBackend backend = runtime::make_train_backend(request, [this](double share) {
      if (bar_) bar_->update(share, "search for a schedule");
    });
    backend.prepare = [this, prepare = std::move(backend.prepare)](training::PassGraph graph) {
      bar_.emplace(streams_);
      training::Executor executor = prepare(std::move(graph));
      bar_.reset();
      return executor;
    };
    return backend;
  }

 private:
  const report::Streams& streams_;
  std::optional<report::Progress> bar_;
};

/// A run that trains for one or more epochs.
class TrainingRun {
 public:
  TrainingRun(const runtime::TrainRequest& request, const graph::Graph& network,
              const data::Dataset& data, report::TrainReport report, const report::Streams& streams)
      : request_(request),
        streams_(streams),
        search_(streams),
        backend_(search_.make_backend(request)),
        trainer_(make_trainer(request, network, data, backend_)),
        report_(std::move(report)) {
    report_.steps_per_epoch = trainer_->steps_per_epoch();
    report_.state = &trainer_->state();
    if (request.checkpoint) open_checkpoint(identity_of(request, network, data, report_.batch));
  }

  int run() {
    if (!folder_) {
      set_interrupt_message(
          request_.log
              ? "weft: interrupted; only the log was kept; --checkpoint DIR keeps the training"
              : "weft: interrupted; nothing was kept of the training; --checkpoint DIR keeps it");
    }
    const bool shown = !request_.quiet && !request_.json_to_stdout();
    if (shown) streams_.out << report::train_heading(report_, streams_.style);
    if (shown) print_log();
    write_log();
    while (trainer_->state().epoch < request_.epochs) {
      const training::EpochRecord& record = run_epoch();
      if (shown) streams_.out << report::epoch_line(report_, record) << std::flush;
    }
    return finish();
  }

 private:
  void open_checkpoint(training::Identity identity) {
    identity_ = std::move(identity);
    folder_.emplace(*request_.checkpoint);
    if (request_.resume) return resume();
    if (folder_->has_checkpoint()) {
      throw InputError(folder_->file() +
                       ": there is a checkpoint already; give --resume, or another folder");
    }
    save_checkpoint();
  }

  void resume() {
    training::Checkpoint checkpoint = folder_->read();
    training::check_identity(checkpoint.identity, identity_, folder_->file());
    onnx_io::located(folder_->file(), [&] { trainer_->restore(std::move(checkpoint.state)); });
    folder_->tidy();
    report_.resumed_at = trainer_->state().step;
    saved_step_ = report_.resumed_at;
    tell_on_interrupt();
  }

  void save_checkpoint() {
    if (!folder_) return;
    folder_->write({identity_, trainer_->state()});
    saved_step_ = trainer_->state().step;
    tell_on_interrupt();
  }

  void tell_on_interrupt() const {
    set_interrupt_message(
        fmt::format("weft: interrupted; {} has step {}, and the same command with --resume goes on "
                    "from there",
                    folder_->file(), saved_step_));
  }

  void print_log() const {
    for (const auto& record : trainer_->state().log)
      streams_.out << report::epoch_line(report_, record);
    streams_.out << std::flush;
  }

  void write_log() const {
    if (request_.log) write_file(*request_.log, report::log_csv(trainer_->state().log));
  }

  /// After a failure, the message names the step of the last checkpoint.
  template <class Function>
  decltype(auto) with_advice(Function&& function) {
    try {
      return function();
    } catch (const InputError& error) {
      if (!folder_) throw;
      throw InputError(
          fmt::format("{}; {} has step {}", error.what(), folder_->file(), saved_step_));
    }
  }

  const training::EpochRecord& run_epoch() {
    report::Progress progress(streams_);
    Stopwatch watch;
    const training::EpochRecord& record = with_advice([&]() -> const training::EpochRecord& {
      while (!trainer_->epoch_done()) step(progress, watch);
      return trainer_->finish_epoch(backend_.step_cycles(), watch.seconds());
    });
    save_checkpoint();
    write_log();
    return record;
  }

  void step(report::Progress& progress, Stopwatch& watch) {
    trainer_->step();
    const training::TrainingState& state = trainer_->state();
    progress.update(static_cast<double>(state.step) /
                        static_cast<double>(request_.epochs * trainer_->steps_per_epoch()),
                    fmt::format("epoch {} of {}", state.epoch + 1, request_.epochs));
    const bool due = request_.every_steps && state.step % *request_.every_steps == 0;
    if (!due || trainer_->epoch_done()) return;
    trainer_->spend(watch.seconds());
    watch = {};
    save_checkpoint();
  }

  int finish() {
    report_.wall_seconds = watch_.seconds();
    if (backend_.simulated) report_.step_cost = backend_.simulated->step_cost();
    write_outputs(request_, report_, trainer_->weights());
    print_end(request_, report_, streams_);
    return 0;
  }

  const runtime::TrainRequest& request_;
  const report::Streams& streams_;
  Stopwatch watch_;
  SearchProgress search_;
  runtime::TrainBackend backend_;
  std::unique_ptr<training::Trainer> trainer_;
  report::TrainReport report_;
  training::Identity identity_;
  std::optional<runtime::CheckpointFolder> folder_;
  std::uint64_t saved_step_ = 0;
};

/// Measures loss and accuracy of the network, float or quantized, without training it.
int measure_only(const runtime::TrainRequest& request, const graph::Graph& network,
                 const data::Dataset& data, report::TrainReport report,
                 const report::Streams& streams) {
  const Stopwatch watch;
  if (request.type == runtime::TrainType::kInt8 && !runtime::is_quantized(network)) {
    throw InputError(
        request.model +
        ": is not quantized, but the machine's int8 array needs that; use `weft quantize`");
  }
  SearchProgress search(streams);
  const runtime::TrainBackend backend = search.make_backend(request);
  const training::ClassifierShape shape = training::classifier_shape(network);
  const training::Executor run = backend.prepare(training::evaluation_graph(network, {}));
  const training::Metrics train = training::evaluate(run, shape, data.train, {});
  const training::Metrics test = training::evaluate(run, shape, data.test, {});
  report.wall_seconds = watch.seconds();
  if (backend.simulated) {
    report.step_cost.emplace().host_layers =
        backend.simulated->costs().at(training::PassKind::kEvaluation).host_layers;
  }
  report.measured = training::EpochRecord{.train_loss = train.loss(),
                                          .train_accuracy = train.accuracy(),
                                          .test_loss = test.loss(),
                                          .test_accuracy = test.accuracy(),
                                          .seconds = report.wall_seconds};
  write_outputs(request, report, {});
  if (!request.quiet && !request.json_to_stdout()) {
    streams.out << report::train_heading(report, streams.style)
                << report::epoch_line(report, *report.measured);
  }
  print_end(request, report, streams);
  return 0;
}

}  // namespace

int run_training(const runtime::TrainRequest& request, const report::MachineFile& machine_file,
                 const report::Streams& streams) {
  const data::Dataset data =
      request.data ? runtime::read_data_folder(*request.data) : data::digits8x8();
  const graph::Graph network = runtime::load_train_network(request);
  const training::ClassifierShape shape =
      onnx_io::located(request.model, [&] { return training::classifier_shape(network); });
  data::check_fits(data, shape.image_shape, shape.classes);
  const report::TrainReport report = start_report(request, machine_file, network, data);
  if (request.epochs == 0) return measure_only(request, network, data, report, streams);
  return TrainingRun(request, network, data, report, streams).run();
}

}  // namespace weft::cli
