// The values that a clocked run moves through the machine: the contents of the unified buffer and
// of the weight FIFO. The datapath holds the accumulators. An engine without values does not use
// this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "sim/array/datapath.h"
#include "sim/array/vector_lanes.h"
#include "sim/config/machine_config.h"
#include "sim/memory/unified_buffer.h"

namespace weft {

class MachineValues {
 public:
  explicit MachineValues(const MachineConfig& config) : buffer(config) {}
  virtual ~MachineValues() = default;
  MachineValues(const MachineValues&) = delete;
  MachineValues& operator=(const MachineValues&) = delete;

  /// Starts the instruction `vector`, which must outlive the calls of vector_row().
  virtual void begin_vector(const Vector& vector) = 0;
  /// The lanes that row `row` of that instruction writes, computed from the current values.
  virtual std::span<const std::byte> vector_row(std::uint32_t row) = 0;

  UnifiedBuffer buffer;
  std::deque<std::vector<std::byte>> tiles;  // arrived and not yet pushed into the array
};

template <class Arithmetic>
class TypedMachineValues : public MachineValues {
 public:
  TypedMachineValues(const MachineConfig& config, Datapath<Arithmetic>& datapath)
      : MachineValues(config), datapath_(datapath), lanes_(config) {}

  void begin_vector(const Vector& vector) override {
    vector_ = &vector;
    lanes_.begin(vector);
  }

  std::span<const std::byte> vector_row(std::uint32_t row) override {
    const bool from_accumulators = !vector_->source;
    return lanes_.compute(
        row, from_accumulators ? datapath_.accumulator_row(vector_->acc + row).data() : nullptr,
        buffer);
  }

 private:
  Datapath<Arithmetic>& datapath_;
  VectorLanes<Arithmetic> lanes_;
  const Vector* vector_ = nullptr;
};

}  // namespace weft
