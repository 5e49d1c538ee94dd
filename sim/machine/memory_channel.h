// A memory channel: a TLM-2.0 target that several units share, granted oldest instruction first.
//
//   load  --socket--+
//   fetch --socket--+-- one transfer at a time -- HostMemory (rows), or weight memory (tiles)
//   store --socket--+
//
// b_transport blocks until the channel is granted, then moves the data if there is any. The delay
// that it returns ends at the beginning of the cycle after the last byte arrives; the initiator may
// start its next transfer before that. With an ideal memory, blocking and transfer take no cycles.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "sim/config/machine_config.h"
#include "sim/memory/host_memory.h"
#include "sim/timing/channel_clock.h"
#include "sim/timing/transfers.h"

namespace weft {

/// An extension of each payload: what a payload without data could not hold, and the place of its
/// instruction in the program, which decides the arbitration.
struct ChannelRequest : tlm::tlm_extension<ChannelRequest> {
  TransferRequest transfer;
  const Load* patches = nullptr;  // the data are the patches of this load
  std::uint32_t index = 0;
  tlm::tlm_extension_base* clone() const override;
  void copy_from(const tlm::tlm_extension_base& other) override;
};

class MemoryChannel : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(MemoryChannel);
  /// `channel`: nullopt for an ideal memory. `memory` may be null if no transfer carries data.
  MemoryChannel(sc_core::sc_module_name name, const MachineConfig& config,
                std::optional<Channel> channel, HostMemory* memory);

  tlm_utils::multi_passthrough_target_socket<MemoryChannel> socket;

 private:
  struct WaitingTransfer {
    const ChannelRequest& request;
    Cycle ready;
    Cycle retired = -1;
    sc_core::sc_event granted = {};
  };

  void transport(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  Cycle await_grant(const ChannelRequest& request);
  void move_data(tlm::tlm_generic_payload& payload);
  void grant_loop();
  void grant_oldest();

  const MachineConfig& config_;
  std::optional<Channel> channel_;
  HostMemory* memory_;
  ChannelClock clock_;
  std::vector<WaitingTransfer*> waiting_;  // each on the stack of its blocked initiator
  sc_core::sc_event requested_;
};

}  // namespace weft
