// The --csv file of a run: a line for each layer, with the figures of --json (docs/json.md, "CSV").
#pragma once

#include <string>

#include "report/report.h"

namespace weft::report {

/// A header, then a line for each layer in their order; a product or a program is one layer.
/// Numbers are plain. A field is empty where the layer has no such figure. If the report has
/// energies, the last column is the layer's in joules.
std::string layers_csv(const RunReport& report);

}  // namespace weft::report
