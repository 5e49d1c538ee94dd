// Implements check_vector() of operand_check.h.
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "sim/isa/check/operand_check.h"
#include "sim/isa/text/instruction_table.h"

namespace weft {
namespace {

/// The rows of an operand: each index begins at a row in [first, last] and touches a `shape` there.
struct Footprint {
  std::int64_t first = 0;
  std::int64_t last = 0;
  RowShape shape;

  std::int64_t begin(std::uint64_t block) const {
    return first + static_cast<std::int64_t>(block * shape.distance);
  }
  std::int64_t end(std::uint64_t block) const {
    return last + static_cast<std::int64_t>(block * shape.distance) + shape.group;
  }
};

/// True if a block of `b` has a row in [begin, end). All blocks of a footprint have the same size,
/// so a division finds the first candidate.
bool touches(const Footprint& b, std::int64_t begin, std::int64_t end) {
  if (b.shape.blocks == 1) return b.begin(0) < end && begin < b.end(0);
  const auto distance = static_cast<std::int64_t>(b.shape.distance);
  const std::int64_t behind = begin - b.end(0);  // block k ends after `begin` if k*distance is more
  const std::int64_t first = behind < 0 ? 0 : behind / distance + 1;
  return first < static_cast<std::int64_t>(b.shape.blocks) && b.begin(0) + first * distance < end;
}

bool overlap(const Footprint& a, const Footprint& b) {
  for (std::uint64_t block = 0; block < a.shape.blocks; ++block) {
    if (touches(b, a.begin(block), a.end(block))) return true;
  }
  return false;
}

constexpr bool takes_alpha(VectorOp op) {
  return op == VectorOp::kLeakyRelu || op == VectorOp::kElu || op == VectorOp::kSelu ||
         op == VectorOp::kHardSigmoid;
}

constexpr bool takes_beta(VectorOp op) {
  return op == VectorOp::kSelu || op == VectorOp::kHardSigmoid;
}

/// True for the functions of integer lanes.
constexpr bool is_integer_op(VectorOp op) {
  return op == VectorOp::kCopy || op == VectorOp::kRelu || op == VectorOp::kClamp ||
         op == VectorOp::kNeg || op == VectorOp::kAbs;
}

constexpr bool is_integer_combine(VectorCombine combine) {
  return combine != VectorCombine::kDiv && combine != VectorCombine::kPow &&
         combine != VectorCombine::kPrelu;
}

template <class Choice, class E>
void check_choice(std::string_view operand, const Choice& choice, E value) {
  if (static_cast<std::size_t>(value) >= choice.names.size()) fail("unknown {}", operand);
}

class VectorCheck {
 public:
  VectorCheck(const Vector& vector, const MachineConfig& config)
      : vector_(vector),
        config_(config),
        integers_(vector.domain == VectorDomain::kAccumulator &&
                  accumulator_type(config.dtype) == ElementType::kInt32),
        lanes_(computed_lanes(vector, config)) {}

  void run() {
    check_choices();
    check_rows(vector_.rows);
    if (vector_.lanes > config_.array_cols) {
      fail("lanes = {}, but array.cols = {}", vector_.lanes, config_.array_cols);
    }
    check_function();
    check_limits();
    check_source();
    check_operand();
    check_bias();
    check_result();
  }

 private:
  void check_choices() const {
    check_choice("op", table::kVectorOp, vector_.op);
    check_choice("combine", table::kCombine, vector_.combine);
    check_choice("reduce", table::kReduce, vector_.reduce);
    check_choice("mode", table::kVectorMode, vector_.mode);
    check_choice("domain", table::kDomain, vector_.domain);
    check_choice("format", table::kFormat, vector_.format);
    if (vector_.source) check_choice("a.format", table::kFormat, vector_.source->format);
    if (vector_.operand) check_choice("b.format", table::kFormat, vector_.operand->format);
  }

  void check_function() const {
    const bool combines = vector_.combine != VectorCombine::kNone;
    if (combines && !vector_.operand) fail("combine needs a second operand, b");
    if (!combines && vector_.operand) fail("a second operand, b, needs combine");
    if (!integers_) return;
    if (!is_integer_op(vector_.op)) {
      fail("op={} needs domain=float on an int8 machine", name(table::kVectorOp, vector_.op));
    }
    if (!is_integer_combine(vector_.combine)) {
      fail("combine={} needs domain=float on an int8 machine",
           name(table::kCombine, vector_.combine));
    }
  }

  void check_limits() const {
    if (vector_.op == VectorOp::kClamp) return check_clamp();
    if ((vector_.low != 0 && !takes_alpha(vector_.op)) ||
        (vector_.high != 0 && !takes_beta(vector_.op))) {
      fail("low or high is given, but op={} has no such parameter; remove it",
           name(table::kVectorOp, vector_.op));
    }
  }

  void check_clamp() const {
    const bool ordered =
        integers_
            ? std::bit_cast<std::int32_t>(vector_.low) <= std::bit_cast<std::int32_t>(vector_.high)
            : std::bit_cast<float>(vector_.low) <= std::bit_cast<float>(vector_.high);
    if (!ordered) fail("low must be at most high as {}", integers_ ? "int32" : "float32");
  }

  void check_source() {
    if (!vector_.source) return check_accumulators(vector_.acc, vector_.rows, config_);
    const VectorSource& source = *vector_.source;
    if (vector_.acc != 0) fail("names both an accumulator row and a source in the unified buffer");
    const RowShape shape = check_format("a", source.format, source.window, lanes_);
    check_quantization("a.quant", source.format, source.quantization);
    check_generator(source.rows, vector_.rows, shape, config_);
    check_element("a.pad", source.rows.pad, config_);
    if (source.format == RowFormat::kWide && source.rows.pad != 0) {
      fail("a.pad is for narrow rows; padding of wide ones is +0");
    }
    const auto extremes = row_extremes(source.rows, vector_.rows);
    if (extremes) reads_.push_back({extremes->lowest, extremes->highest, shape});
  }

  void check_operand() {
    if (!vector_.operand) return;
    const VectorOperand& operand = *vector_.operand;
    const RowShape shape = check_format("b", operand.format, operand.window, lanes_);
    check_quantization("b.quant", operand.format, operand.quantization);
    const std::uint64_t walk = std::uint64_t{vector_.rows - 1} * operand.step;
    check_extent("b", operand.row, walk, shape);
    add_read(operand.row, walk, shape);
  }

  void check_bias() {
    if (!vector_.has_bias) {
      if (vector_.bias != 0) fail("a bias row without has_bias");
      return;
    }
    const RowShape shape = row_shape(RowFormat::kWide, {}, lanes_, config_);
    check_unified_buffer("bias", vector_.bias, shape.group, config_);
    add_read(vector_.bias, 0, shape);
  }

  void check_result() const {
    const std::uint32_t lanes = written_lanes(vector_, config_);
    const RowShape shape = check_format("the result", vector_.format, vector_.window, lanes);
    check_quantization("quant", vector_.format, vector_.quantization);
    const std::uint64_t step = vector_.format == RowFormat::kWide ? config_.result_row_rows() : 1;
    const std::uint64_t walk = (vector_.rows - 1) * step;
    if (vector_.window.plane != 0 && vector_.window.plane < vector_.rows &&
        plane_count(vector_.window, lanes, config_) > 1) {
      fail("the planes of the result are {} rows apart, but it has rows = {}; they overlap",
           vector_.window.plane, vector_.rows);
    }
    check_extent("ub", vector_.ub, walk, shape);
    const Footprint written{vector_.ub, static_cast<std::int64_t>(vector_.ub + walk), shape};
    for (const Footprint& read : reads_) {
      if (!overlap(read, written)) continue;
      fail(
          "reads UB rows {} to {} and writes rows from {} on: an instruction may not write rows "
          "that it reads",
          read.first, read.end(read.shape.blocks - 1) - 1, vector_.ub);
    }
  }

  /// Checks an operand's window. Returns the shape of its rows.
  RowShape check_format(std::string_view operand, RowFormat format, const LaneWindow& window,
                        std::uint32_t lanes) const {
    if (format == RowFormat::kNarrow) {
      check_window(operand, window, lanes, config_);
    } else if (window != LaneWindow{}) {
      fail("{} is wide; a window is for narrow rows", operand);
    }
    return row_shape(format, window, lanes, config_);
  }

  void check_quantization(std::string_view operand, RowFormat format,
                          const Quantization& quantization) const {
    if (quantization == Quantization{}) return;
    if (format != RowFormat::kNarrow || config_.dtype != ElementType::kInt8 ||
        vector_.domain != VectorDomain::kFloat) {
      fail("{} is for narrow int8 rows and domain=float", operand);
    }
    const auto scale = std::bit_cast<float>(quantization.scale);
    if (!std::isfinite(scale) || scale <= 0)
      fail("the scale of {} must be finite and above 0", operand);
    if (quantization.zero < std::numeric_limits<std::int8_t>::min() ||
        quantization.zero > std::numeric_limits<std::int8_t>::max()) {
      fail("the zero point of {} must be -128..127", operand);
    }
  }

  /// Checks an operand's rows: index 0 begins at `first`, the last index `walk` rows later.
  void check_extent(std::string_view operand, std::uint64_t first, std::uint64_t walk,
                    const RowShape& shape) const {
    std::uint64_t rows = 0;
    if (__builtin_add_overflow(walk, shape_extent(shape), &rows)) rows = walk;
    check_unified_buffer(operand, first, rows, config_);
  }

  void add_read(std::uint64_t first, std::uint64_t walk, const RowShape& shape) {
    reads_.push_back(
        {static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + walk), shape});
  }

  template <class Choice, class E>
  static std::string_view name(const Choice& choice, E value) {
    return choice.names[static_cast<std::size_t>(value)];
  }

  const Vector& vector_;
  const MachineConfig& config_;
  const bool integers_;  // lanes are 32-bit integers
  const std::uint32_t lanes_;
  std::vector<Footprint> reads_;
};

}  // namespace

void check_vector(const Vector& vector, const MachineConfig& config) {
  VectorCheck(vector, config).run();
}

}  // namespace weft
