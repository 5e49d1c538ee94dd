// The values that a clocked run moves through the machine as time passes: the contents of the
// unified buffer and of the weight FIFO; those of the accumulators lie in the datapath. An engine
// that only tells time has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "sim/array/datapath.h"
#include "sim/array/vector_op.h"
#include "sim/config/machine_config.h"
#include "sim/memory/unified_buffer.h"

namespace weft {

class MachineValues {
 public:
  explicit MachineValues(const MachineConfig& config) : buffer(config) {}
  virtual ~MachineValues() = default;
  MachineValues(const MachineValues&) = delete;
  MachineValues& operator=(const MachineValues&) = delete;

  /// The UB rows that row `row` of a vector instruction writes, from the values of this moment.
  virtual std::vector<std::byte> vector_row(const Vector& vector, std::uint32_t row) const = 0;

  UnifiedBuffer buffer;
  std::deque<std::vector<std::byte>> tiles;  // arrived and not yet pushed into the array
};

template <class Arithmetic>
class TypedMachineValues : public MachineValues {
 public:
  TypedMachineValues(const MachineConfig& config, Datapath<Arithmetic>& datapath)
      : MachineValues(config), datapath_(datapath), result_bytes_(result_bytes(config)) {}

  std::vector<std::byte> vector_row(const Vector& vector, std::uint32_t row) const override {
    std::vector<std::byte> out(result_bytes_);
    const std::byte* bias = vector.has_bias ? buffer.row(vector.bias).data() : nullptr;
    apply_vector_op<Arithmetic>(vector, datapath_.accumulator_row(vector.acc + row), bias, out);
    return out;
  }

 private:
  static std::size_t result_bytes(const MachineConfig& config) {
    return std::size_t{config.result_row_rows()} * config.row_bytes();
  }

  Datapath<Arithmetic>& datapath_;
  std::size_t result_bytes_;
};

}  // namespace weft
