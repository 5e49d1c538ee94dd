// Puts the results of a program's layers together from the rows in which the machine leaves them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "compiler/program/network_program.h"
#include "sim/config/machine_config.h"
#include "sim/memory/matrix.h"
#include "sim/memory/unified_buffer.h"

namespace weft::runtime {

class LayerResults {
 public:
  /// Both must outlive this.
  LayerResults(const compiler::MachineStep& step, const MachineConfig& config);

  /// Instruction `index` is done: takes the rows that are complete with it.
  void done(std::size_t index, const UnifiedBuffer& buffer);
  /// The sheet of a layer's result, after the run. `matrix` gives the program's tensors.
  const Matrix& sheet(std::size_t layer,
                      const std::function<const Matrix&(std::size_t tensor)>& matrix);

 private:
  Matrix& sheet_of(std::size_t layer);
  void take(std::size_t layer, const compiler::ResultRows& rows, const UnifiedBuffer& buffer);

  const compiler::MachineStep& step_;
  const MachineConfig& config_;
  std::vector<Matrix> sheets_;  // of each layer, as far as it is known
  /// Rows in the unified buffer by the instruction that completes them: layer and index.
  std::multimap<std::size_t, std::pair<std::size_t, std::size_t>> resident_;
};

}  // namespace weft::runtime
