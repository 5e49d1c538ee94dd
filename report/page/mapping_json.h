// The part `mappings` of the page's data: which weights lie in which rows of the array.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "compiler/program/network_program.h"
#include "report/json.h"
#include "sim/config/machine_config.h"

namespace weft::report {

/// The drawings of a page. Layers of equal shape and mapping share one, so that a network of many
/// equal layers does not repeat it.
class MappingList {
 public:
  /// The number of the layer's drawing. `padding` is the share of its issued MACs.
  std::size_t add(const compiler::LayerInfo& info, const compiler::FoldMap& folds, double padding,
                  const MachineConfig& machine);
  const Json& list() const { return list_; }

 private:
  Json list_ = Json::array();
  std::map<std::string, std::size_t> numbers_;  // by text
};

/// "192 channels in 2 tiles of 128 lanes; 75.0 % of the lanes used".
std::string lanes_text(const compiler::LayerInfo& info, const MachineConfig& machine);

}  // namespace weft::report
