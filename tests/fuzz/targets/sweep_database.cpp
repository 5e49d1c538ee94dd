// Databases of sweeps, as `weft sweep --report` reads them: rows of any content become a text and a
// page.
#include <array>
#include <vector>

#include "report/sweep/page/sweep_page.h"
#include "report/sweep/rows_file.h"
#include "report/sweep/sweep_text.h"
#include "runtime/sweep/store.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {
bool sweep_database(std::string_view bytes) {
  const NamedFile file(bytes, ".db");
  return accepts([&] {
    sweep::Store store(file.path(), sweep::Store::Mode::kReadOnly);
    const std::array metrics = {sweep::find_metric("time"), sweep::find_metric("energy")};
    sweep::Fronts fronts(std::vector<sweep::Metric>(metrics.begin(), metrics.end()));
    store.for_each([&](std::span<const sweep::Cell> row) {
      fronts.add(row);
      report::csv_row(row);
      report::json_row(row, true);
    });
    report::fronts_text(fronts, report::Style(false));
    report::json_file_text(report::sweep_page_data(store, metrics, "weft sweep", [](double) {}));
  });
}

}  // namespace weft::fuzz
