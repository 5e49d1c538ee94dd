// The output of `weft train`: one line per epoch during the run, then a summary; CSV and JSON for
// programs.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/training/metrics.h"
#include "models/training/state.h"
#include "report/json.h"
#include "report/machine_text.h"
#include "report/text.h"
#include "runtime/sim_backend.h"
#include "runtime/train/train_request.h"

namespace weft::report {

struct TrainReport {
  const runtime::TrainRequest& request;
  MachineFile machine_file = {};
  std::uint64_t parameters = 0;
  std::int64_t batch = 0;
  std::string data = {};  // its name
  std::int64_t train_images = 0;
  std::int64_t test_images = 0;
  std::uint64_t steps_per_epoch = 0;
  std::uint64_t resumed_at = 0;  // step; 0: from the beginning
  const training::TrainingState* state = nullptr;
  std::optional<runtime::PassCost> step_cost = {};     // on the simulated machine
  std::optional<training::EpochRecord> measured = {};  // with --epochs 0
  double wall_seconds = 0;
};

/// Network, data and training options in aligned lines, then the table's heading.
std::string train_heading(const TrainReport& report, const Style& style);
/// The table's line of one epoch.
std::string epoch_line(const TrainReport& report, const training::EpochRecord& record);
/// The cost of a step, the layers on the host, the saved file.
std::string train_summary(const TrainReport& report, const Style& style);

/// Column names, then one line per epoch. The cycle columns are empty without simulation.
std::string log_csv(const std::vector<training::EpochRecord>& log);

/// Schema 1; docs/json.md explains each key.
Json train_json(const TrainReport& report);
/// One entry of its `epochs`.
Json epoch_json(const training::EpochRecord& record);

}  // namespace weft::report
