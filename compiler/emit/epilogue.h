// The last step of contractions and windows: from rows of sums to rows of the result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "compiler/emit/layer_constant.h"
#include "compiler/emit/lower_layer.h"
#include "compiler/layers/layers.h"

namespace weft::compiler {

/// Lanes [channel, channel + width) of a result's sheet as a vector instruction sees them.
struct LaneBlock {
  std::int64_t plane = 0;
  LaneWindow window = {};
  std::uint32_t lanes = 0;  // 0: all C
  bool fill = true;
};

/// The lanes from `channel` of a sheet, at most C of them and at most `width`. `plane_step` is the
/// distance between planes. `fill` is off if the lanes beyond `width` belong to other channels or
/// to no plane.
LaneBlock lane_block(const LoweringContext& context, std::size_t sheet, std::int64_t channel,
                     std::int64_t width, std::int64_t plane_step);

/// The layer's next constant, with a wide row for every C channels.
LayerConstant load_channels(std::int64_t channels, std::function<Matrix()> make, ElementType type,
                            LoweringContext& context);

/// An epilogue with its constants.
class EpilogueRows {
 public:
  /// `rows`: of the result, if each has a bias of its own.
  EpilogueRows(const Epilogue& epilogue, std::int64_t channels, LoweringContext& context,
               std::int64_t rows = 0);

  /// The vector instruction for `rows` rows of columns [first, first + width), without its source.
  /// The result begins at row `row` and channel `channel` of the sheet that lies at `out`.
  struct Target {
    std::size_t sheet = 0;
    Placement out;
    std::int64_t row = 0;
    std::int64_t channel = 0;
    std::int64_t first = 0;
    std::int64_t matrix = 0;  // of the weights; selects the bias if there are several
    std::int64_t width = 1;
    std::int64_t rows = 1;
    std::optional<Placement> residual = {};
    std::int64_t residual_row = 0;
    std::int64_t bias_row = 0;  // of a bias by row
  };
  Vector instruction(const Target& target);
  /// The same with nothing but the rows that it writes.
  Vector result_rows(const Target& target) const;

  /// Must be called for each use of staging (StagingRing::begin_use()).
  void begin_use();

 private:
  std::uint32_t constant_row(LayerConstant& constant, std::int64_t first) const;
  std::int64_t padded_channels() const;
  LayerConstant load(const MakeTensor& make, std::int64_t sets, ElementType type);
  LayerConstant load_by_row(const MakeTensor& make, std::int64_t rows);

  const Epilogue& epilogue_;
  LoweringContext& context_;
  const std::int64_t channels_;
  std::optional<LayerConstant> bias_;
  std::optional<LayerConstant> scale_;
};

/// Appends the instruction and counts its cycles.
void emit(Vector vector, LoweringContext& context);

}  // namespace weft::compiler
