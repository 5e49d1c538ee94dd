// Which rows of which sheets a layer reads and writes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "compiler/layers/layers.h"

namespace weft::compiler {

/// Rows of a sheet. The first and the last, both included.
using Touch = std::pair<std::int64_t, std::int64_t>;

inline Touch touched(std::int64_t first, std::int64_t count, std::int64_t step = 1) {
  return {first, first + (count - 1) * step};
}

/// The operand's rows of a walk that begins in row `first`.
inline Touch operand_rows(const RowWalk& walk, std::int64_t first) {
  const std::int64_t images = walk.images / walk.z.output;
  return {first, first + (images - 1) * walk.image_step + (walk.z.input - 1) * walk.z_step +
                     (walk.y.input - 1) * walk.y_step + (walk.x.input - 1) * walk.x_step};
}

/// Calls function(sheet, touch) for all that a layer reads.
template <class Function>
void for_each_read(const ContractionLayer& layer, const Function& function) {
  for (const BatchOffset& product : layer.batch) {
    function(layer.a.sheet, operand_rows(layer.walk, layer.a.row + product.a_row));
    if (const auto& residual = layer.epilogue.residual) {
      function(residual->sheet, touched(residual->row + product.out_row, layer.walk.rows()));
    }
    if (const auto* weights = std::get_if<ComputedWeights>(&layer.weights)) {
      function(weights->view.sheet,
               touched(weights->view.row + product.b_row, weights->transpose ? layer.n : layer.k));
    }
  }
}

template <class Function>
void for_each_read(const LaneStep& step, std::int64_t rows, const Function& function) {
  const auto* view = std::get_if<View>(&step.b);
  if (view == nullptr) return;
  const std::int64_t count = step.b_period == 0 ? rows : std::min(rows, step.b_period);
  function(view->sheet, touched(view->row, count, step.b_step));
}

template <class Layer, class Function>
void for_each_read(const Layer& layer, const Function& function) {
  function(layer.a.sheet, operand_rows(layer.walk, layer.a.row));
  if constexpr (requires { layer.epilogue; }) {
    if (const auto& residual = layer.epilogue.residual) {
      function(residual->sheet, touched(residual->row, layer.walk.rows()));
    }
  }
  if constexpr (requires { layer.steps; }) {
    for (const LaneStep& step : layer.steps) for_each_read(step, layer.walk.rows(), function);
  }
}

template <class Function>
void for_each_read(const ConcatLayer& layer, const Function& function) {
  for (const ElementwiseLayer& part : layer.parts) for_each_read(part, function);
}

/// The same for all that it writes.
template <class Layer, class Function>
void for_each_write(const Layer& layer, const Function& function) {
  if constexpr (requires { layer.parts; }) {
    for (const auto& part : layer.parts) for_each_write(part, function);
  } else if constexpr (requires { layer.batch; }) {
    for (const BatchOffset& product : layer.batch) {
      function(layer.out.sheet, touched(layer.out.row + product.out_row, layer.walk.rows()));
    }
  } else {
    function(layer.out.sheet, touched(layer.out.row, layer.walk.rows()));
  }
}

template <class Function>
void for_each_touch(const LayerBody& body, const Function& function) {
  std::visit(
      [&](const auto& layer) {
        for_each_read(layer, function);
        for_each_write(layer, function);
      },
      body);
}

}  // namespace weft::compiler
