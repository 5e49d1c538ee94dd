// --json reports, as `weft compare A B` reads them: what is accepted can be shown beside itself.
#include "report/results/result_pair.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {

bool result(std::string_view bytes) {
  const BytesFile file(bytes);
  return accepts([&] {
    const report::RunResult read = report::read_run_result(file.path());
    const report::ResultPair pair = report::pair_results(read, read);
    report::pair_text(pair, report::Style(false));
    report::json_file_text(report::pair_json(pair));
  });
}

}  // namespace weft::fuzz
