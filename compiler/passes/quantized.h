// What the passes see of quantised values: a DequantizeLinear behind a value, and whether two pairs
// of scale and zero point are the same. Only constant scales and zero points count.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/graph/graph.h"
#include "compiler/passes/rewriter.h"

namespace weft::passes {

/// value = (integers - zero_point) * scale, as a DequantizeLinear in the graph says.
struct Quantized {
  graph::ValueId integers = graph::kNoValue;  // kNoValue: the value is not dequantised
  graph::ValueId scale = graph::kNoValue;
  graph::ValueId zero_point = graph::kNoValue;  // kNoValue: 0
  std::int64_t axis = 0;  // along which scale and zero point vary, from the front; if they do

  explicit operator bool() const { return integers != graph::kNoValue; }
};

/// How `value` came from integers by a DequantizeLinear; false if it did not.
Quantized dequantized(const Rewriter& rewriter, graph::ValueId value);
/// The parameters of a QuantizeLinear, with its output as the integers; false if not constant.
Quantized quantized(const Rewriter& rewriter, const graph::Node& node);

/// True if the value is int8 or uint8.
bool is_byte(const Rewriter& rewriter, graph::ValueId value);
/// True if one scale serves the whole tensor.
bool is_per_tensor(const Rewriter& rewriter, const Quantized& value);
/// True if integers of one type mean the same numbers in both: per tensor, equal, and so scaled
/// that quantising a dequantised integer gives it back (the scale neither overflows nor is
/// subnormal).
bool same_parameters(const Rewriter& rewriter, const Quantized& a, const Quantized& b);
/// The zero point of a value that is quantised per tensor; nothing if it is made on demand.
std::optional<std::int64_t> zero_point(const Rewriter& rewriter, const Quantized& value);

/// True if every zero point is 0, be they one or many; false if they are made on demand.
bool has_zero_points_of_0(const Rewriter& rewriter, const Quantized& value);

/// Scale and zero point as values of rank 0, or [channels] if not per tensor: how the QLinear
/// operators take them. They are made where the graph has them otherwise or not at all.
graph::ValueId scale_operand(Rewriter& rewriter, const Quantized& value);
graph::ValueId zero_point_operand(Rewriter& rewriter, const Quantized& value);

/// The smallest integer of int8 or uint8.
std::int64_t lowest(graph::DataType type);

}  // namespace weft::passes
