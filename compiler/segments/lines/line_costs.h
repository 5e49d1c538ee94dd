// What layers of joined lines take, by an estimate without a schedule.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/layers/layers.h"
#include "compiler/program/network_program.h"
#include "compiler/segments/lines/image_nodes.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

class LineCosts {
 public:
  LineCosts(const MachineConfig& config, const MappingOptions& options)
      : config_(config), options_(options) {}

  /// Cycles for one image. Lines that the convolution cannot read joined are read one by one.
  double cycles(const ImageConvolution& conv, JoinedLines lines) const;
  /// Cycles of the vector unit. nullopt: the maximum reads single lines.
  double cycles(const ImageMaxPool& pool, const std::optional<JoinedLines>& lines) const;
  /// Cycles until a row of results has left for the host: bytes, or the 32-bit sums of a float
  /// convolution.
  double leaving() const;

 private:
  double tile_fetch() const;
  double folds(std::int64_t count, std::int64_t rows) const;
  double on_both_units(std::int64_t taps, std::int64_t tiles, std::int64_t rows) const;

  const MachineConfig& config_;
  const MappingOptions& options_;
};

}  // namespace weft::compiler
