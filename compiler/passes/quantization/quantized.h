// Finds quantized values for the passes: the DequantizeLinear that makes a value, and whether two
// pairs of scale and zero point are equal. Only constant scales and zero points count.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/graph/graph.h"
#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {

/// A value that a DequantizeLinear makes: value = (integers - zero_point) * scale.
struct Quantized {
  graph::ValueId integers = graph::kNoValue;  // kNoValue: no DequantizeLinear
  graph::ValueId scale = graph::kNoValue;
  graph::ValueId zero_point = graph::kNoValue;  // kNoValue: 0
  std::int64_t axis = 0;  // the axis of scale and zero point, not negative; unused if per tensor

  explicit operator bool() const { return integers != graph::kNoValue; }
};

/// The integers and parameters from which a DequantizeLinear makes `value`; false if none does.
Quantized dequantized(const Rewriter& rewriter, graph::ValueId value);
/// The parameters of a QuantizeLinear, with its output as the integers; false if they are not
/// constant.
Quantized quantized(const Rewriter& rewriter, const graph::Node& node);

/// True if the value is int8 or uint8.
bool is_byte(const Rewriter& rewriter, graph::ValueId value);
/// True if the whole tensor has a single scale.
bool is_per_tensor(const Rewriter& rewriter, const Quantized& value);
/// True if both have the same integer type and equal parameters per tensor, and if quantizing a
/// dequantized integer gives the same integer (no product overflows or is subnormal).
bool same_parameters(const Rewriter& rewriter, const Quantized& a, const Quantized& b);
/// The zero point of a value that is quantized per tensor; nullopt if it is not in memory.
std::optional<std::int64_t> zero_point(const Rewriter& rewriter, const Quantized& value);

/// True if all zero points are 0; false if they are not in memory.
bool has_zero_points_of_0(const Rewriter& rewriter, const Quantized& value);

/// Scale and zero point as inputs of a QLinear operator: of rank 0, or [channels] if not per
/// tensor. The functions add constants if the graph does not have them in this form.
graph::ValueId scale_operand(Rewriter& rewriter, const Quantized& value);
graph::ValueId zero_point_operand(Rewriter& rewriter, const Quantized& value);

/// The smallest integer of int8 or uint8.
std::int64_t lowest(graph::DataType type);

}  // namespace weft::passes
