// The report of quantizing a network: what became int8 with which scales, what stayed float, and
// how far the outputs moved over the samples. JSON for programs, a few lines for people.
#pragma once

#include <cstddef>
#include <string>

#include "compiler/graph/graph.h"
#include "report/json.h"
#include "report/report.h"
#include "report/text.h"
#include "runtime/network_agreement.h"

namespace weft::report {

struct QuantizeReport {
  RunReport network;       // before quantizing; the workload alone
  std::string output;      // the output file
  graph::Graph quantized;  // with pairs of QuantizeLinear and DequantizeLinear
  std::size_t samples = 0;
  runtime::Agreement agreement;
};

/// Schema 1; docs/json.md explains each key.
Json quantize_report_json(const QuantizeReport& report);

std::string quantize_report_text(const QuantizeReport& report, const Style& style);

}  // namespace weft::report
