// Which sheets a layer reads and writes.
#pragma once

#include <cstddef>
#include <variant>

#include "compiler/layers/layers.h"

namespace weft::compiler {

/// Calls function(sheet) for every sheet that the layer reads.
template <class Function>
void for_each_input_sheet(const LayerBody& body, Function&& function) {
  if (const auto* layer = std::get_if<ConcatLayer>(&body)) {
    for (const ElementwiseLayer& part : layer->parts) function(part.a.sheet);
    return;
  }
  std::visit(
      [&](const auto& layer) {
        if constexpr (requires { layer.a; }) function(layer.a.sheet);
      },
      body);
  std::visit(
      [&](const auto& layer) {
        if constexpr (requires { layer.epilogue; }) {
          if (layer.epilogue.residual) function(layer.epilogue.residual->sheet);
        }
      },
      body);
  if (const auto* layer = std::get_if<ContractionLayer>(&body)) {
    if (const auto* weights = std::get_if<ComputedWeights>(&layer->weights)) {
      function(weights->view.sheet);
    }
  }
  std::visit(
      [&](const auto& layer) {
        if constexpr (requires { layer.steps; }) {
          for (const LaneStep& step : layer.steps) {
            if (const auto* b = std::get_if<View>(&step.b)) function(b->sheet);
          }
        }
      },
      body);
}

inline const View& result_view(const LayerBody& body) {
  return std::visit([](const auto& layer) -> const View& { return layer.out; }, body);
}

template <class Function>
void for_each_sheet(const LayerBody& body, Function&& function) {
  for_each_input_sheet(body, function);
  function(result_view(body).sheet);
}

}  // namespace weft::compiler
