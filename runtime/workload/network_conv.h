// A convolution as a network of one node with random weights; `weft conv` runs it.
//
// The node is a Conv on float machines and a QLinearConv on int8 machines. The weights are scaled
// so that sums have a standard deviation of about 4: relu6 then clips some, and int8 results use
// their range.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/graph/graph.h"
#include "compiler/program/network_program.h"
#include "pe/element_type.h"
#include "sim/isa/program.h"

namespace weft::runtime {

/// Far larger than any layer, yet small enough that sums of a few extents cannot overflow.
inline constexpr std::uint64_t kLargestConvExtent = std::uint64_t{1} << 31U;

/// How the taps lie in the array's rows.
enum class TapPacking : std::uint8_t {
  kBest,
  kPacked,  // side by side
  kApart,   // one tap a fold
};

/// "best", "packed" or "apart".
std::string_view to_string(TapPacking taps);
/// The packing with this name. Throws InputError; `what` names the value in its message.
TapPacking parse_tap_packing(std::string_view name, std::string_view what = "taps");

struct ConvSpec {
  graph::Shape input = {1, 1, 1, 1};  // N C H W
  std::int64_t filters = 1;
  std::array<std::int64_t, 2> kernel = {1, 1};
  std::array<std::int64_t, 2> strides = {1, 1};
  std::array<std::int64_t, 2> dilations = {1, 1};
  std::optional<std::array<std::int64_t, 4>> pads;  // top left bottom right; nullopt: "same"
  std::int64_t groups = 1;
  bool bias = false;
  Activation activation = Activation::kNone;
  TapPacking taps = TapPacking::kBest;

  friend bool operator==(const ConvSpec&, const ConvSpec&) = default;
};

/// "64 filters of 3x3 over 1x64x56x56, relu".
std::string to_text(const ConvSpec& spec);

compiler::MappingOptions mapping_of(const ConvSpec& spec);

/// Returns the graph with input "x" and output "y". Weights are drawn when they are first used.
/// Throws InputError for an impossible convolution.
graph::Graph conv_graph(const ConvSpec& spec, ElementType dtype, std::uint64_t seed);

}  // namespace weft::runtime
