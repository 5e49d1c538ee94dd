// Which sheets a layer reads and writes, and through which views.
#pragma once

#include <cstddef>
#include <variant>

#include "compiler/layers/layers.h"

namespace weft::compiler {

/// Calls function(view) for every view through which one layer of a kind reads. `Layer` may be
/// const.
template <class Layer, class Function>
void for_each_input_view_of(Layer& layer, Function&& function) {
  if constexpr (requires { layer.parts; }) {
    for (auto& part : layer.parts) for_each_input_view_of(part, function);
  }
  if constexpr (requires { layer.a; }) function(layer.a);
  if constexpr (requires { layer.epilogue; }) {
    if (layer.epilogue.residual) function(*layer.epilogue.residual);
  }
  if constexpr (requires { layer.weights; }) {
    if (auto* weights = std::get_if<ComputedWeights>(&layer.weights)) function(weights->view);
  }
  if constexpr (requires { layer.steps; }) {
    for (auto& step : layer.steps) {
      if (auto* b = std::get_if<View>(&step.b)) function(*b);
    }
  }
}

/// Calls function(sheet) for every sheet that the layer reads.
template <class Function>
void for_each_input_sheet(const LayerBody& body, Function&& function) {
  std::visit(
      [&](const auto& layer) {
        for_each_input_view_of(layer, [&](const View& view) { function(view.sheet); });
      },
      body);
}

/// Calls function(view) for every view of the layer, its results' included, so that it may change
/// them.
template <class Function>
void for_each_view(LayerBody& body, Function&& function) {
  std::visit(
      [&](auto& layer) {
        for_each_input_view_of(layer, function);
        if constexpr (requires { layer.parts; }) {
          for (auto& part : layer.parts) function(part.out);
        }
        function(layer.out);
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
