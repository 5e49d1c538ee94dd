// Configurations of SCALE-Sim, versions 1 to 3: the array, its buffers, and how it is used.
//
// All versions write an INI file, but not the same one. Version 1 quotes its values, names the SRAM
// sizes without their unit, and names the topology in [network_presets]. Version 2 adds
// [run_presets], version 3 [layout], [sparsity] and more. Source: github.com/scalesim-project.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::imports {

/// What stays in the array while the rest streams through it.
enum class Dataflow : std::uint8_t { kWeightStationary, kInputStationary, kOutputStationary };

/// "ws", "is" or "os".
std::string_view to_string(Dataflow dataflow);

struct ScaleSimConfig {
  std::string run_name = "scale_run";
  std::uint32_t rows = 0;  // R
  std::uint32_t cols = 0;  // C
  Dataflow dataflow = Dataflow::kWeightStationary;
  std::uint64_t ifmap_kib = 0;
  std::uint64_t filter_kib = 0;
  std::uint64_t ofmap_kib = 0;
  /// Words a cycle to and from DRAM, with InterfaceBandwidth USER; nullopt with CALC: no stalls.
  std::optional<std::uint64_t> bandwidth;
  std::optional<std::string> topology;  // that version 1 names
  /// "FILE:12: TopologyCsvLoc in [general]" if the key is in another section, without effect.
  std::optional<std::string> stray_topology;
  /// What has no effect here: sections as "[layout]", keys by their names.
  std::vector<std::string> ignored;
};

/// Reads the file. Throws InputError with file, line and key for what is missing, twice there, or
/// out of range, and for SparsitySupport and UseRamulatorTrace, which change the cycles.
ScaleSimConfig read_scalesim_config(const std::string& file);

}  // namespace weft::imports
