// The load, fetch and store units: each sends its instructions, in order, to its memory channel.
//
// A unit may start its next transfer as soon as the channel has granted the last one, so latencies
// overlap. With values, a load writes the unified buffer and a fetch delivers its tile at the end
// of the cycle in which it retires; a store reads the buffer when it starts. A fetch from the
// unified buffer uses no channel: it reads one row per cycle.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <span>
#include <vector>

#include "sim/machine/machine_values.h"
#include "sim/machine/unit.h"

namespace weft {

class TransferUnit : public UnitModule {
 public:
  SC_HAS_PROCESS(TransferUnit);
  /// `values`: null in a run without values.
  TransferUnit(sc_core::sc_module_name name, MachineContext& context, MachineValues* values);

  tlm_utils::simple_initiator_socket<TransferUnit> socket;

 private:
  /// A fetch from the buffer whose rows are being read.
  struct BufferRead {
    const BufferTile* tile;
    Cycle start;
    std::span<std::byte> out;
  };

  void transfer_loop();
  Cycle read_buffer(const Head& head, Cycle reads);
  void buffer_loop();
  Cycle transfer(const Head& head);
  void attach_data(tlm::tlm_generic_payload& payload, const Operation& operation);
  void on_retire(std::uint32_t index) override;

  MachineValues* values_;
  std::deque<std::vector<std::byte>> arriving_;  // data of loads and fetches not yet retired
  Cycle last_retired_ = -1;
  Cycle buffer_port_free_ = 0;
  std::deque<BufferRead> buffer_reads_;
  sc_core::sc_event buffer_read_event_;
  std::vector<std::byte> spare_;  // memory of the last load, reused because new pages are slow
};

}  // namespace weft
