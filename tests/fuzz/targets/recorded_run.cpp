// --json reports, as `weft explain --why` reads them: what is accepted can be compared with itself,
// and small products can be simulated again. Others may take as long as they like.
#include "report/explain/recorded_run.h"

#include <algorithm>

#include "report/explain/why.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {
namespace {

constexpr std::uint64_t kMostSize = 32;

bool is_small_product(const report::Workload& workload) {
  const auto* spec = std::get_if<MatmulSpec>(&workload);
  return spec != nullptr && std::max({spec->m, spec->k, spec->n}) <= kMostSize;
}

}  // namespace

bool recorded_run(std::string_view bytes) {
  if (names_large_network(bytes)) return false;
  const BytesFile file(bytes);
  return accepts([&] {
    const report::RecordedRun read = report::read_recorded_run(file.path());
    require(report::switches(read.setup, read.setup).empty(), "no difference from itself");
    if (is_small_product(read.setup.workload)) report::explain_why(read, read, [](double) {});
  });
}

}  // namespace weft::fuzz
