// The waveform of --vcd: which cycles it shows, about how large it becomes, and the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/output_stream.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/timeline.h"

namespace weft::report {

/// Reads "100..199", both included. Throws InputError.
CycleRange parse_vcd_cycles(std::string_view text);

/// Bytes of a waveform, estimated from above: in each cycle in which a row enters the array, every
/// PE changes its activation and its sum once, and in each cycle of a push every PE changes its
/// shadow weight and the weight that it passes on. With random values, files have 50 to 100 % of
/// it.
double waveform_bytes(const MachineConfig& config, const Program& program, const Timeline& timeline,
                      CycleRange cycles);

/// Opens the file. Throws InputError if the cycles begin after the end of the run, or if the
/// waveform does not fit the free space of the disk.
void open_waveform(const std::string& file, CycleRange cycles, const MachineConfig& config,
                   const Program& program, std::optional<OutputStream>& vcd);

}  // namespace weft::report
