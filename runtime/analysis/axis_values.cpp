#include "runtime/analysis/axis_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_set>

#include "base/decimal.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "base/printable.h"

namespace weft::runtime {
namespace {

__extension__ using Wide = unsigned __int128;

class Values {
 public:
  explicit Values(std::string_view what) : what_(what) {}

  void add(std::string text) {
    if (!known_.insert(text).second) return;
    if (values_.size() == kMostValues) {
      throw InputError(
          fmt::format("{}: has more than {} values; take larger steps", what_, kMostValues));
    }
    values_.push_back(std::move(text));
  }

  /// "100..1600*2"; `dots` is where the two dots are.
  void add_range(std::string_view item, std::size_t dots) {
    const std::string_view after = item.substr(dots + 2);
    const std::size_t sign = std::min(after.find_first_of("*+"), after.size());
    const std::uint64_t first = number(item.substr(0, dots), item);
    const std::uint64_t last = number(after.substr(0, sign), item);
    if (last < first) {
      throw InputError(
          fmt::format("{} {}: ends before it begins; exchange the ends", what_, printable(item)));
    }
    const bool multiplies = sign < after.size() && after[sign] == '*';
    const std::uint64_t step =
        sign < after.size() ? number(after.substr(sign + 1), item) : kAxisOne;
    if (multiplies ? step <= kAxisOne || first == 0 : step == 0) {
      throw InputError(fmt::format(
          "{} {}: the step leads nowhere; {}", what_, printable(item),
          multiplies ? "begin above 0 and multiply by more than 1" : "add more than 0"));
    }
    for (Wide value = first; value <= last;) {
      add(print_decimal(static_cast<std::uint64_t>(value), kAxisDecimals));
      const Wide next = multiplies ? value * step / kAxisOne : value + step;
      if (next == value) break;  // a step below the last decimal
      value = next;
    }
  }

  std::vector<std::string> take() { return std::move(values_); }

 private:
  std::uint64_t number(std::string_view text, std::string_view item) const {
    if (const auto value = parse_decimal(trimmed(text), kAxisDecimals)) return *value;
    throw InputError(fmt::format(
        "{} {}: a range is FIRST..LAST, FIRST..LAST*FACTOR or FIRST..LAST+STEP, in numbers", what_,
        printable(item)));
  }

  std::string_view what_;
  std::vector<std::string> values_;
  std::unordered_set<std::string> known_;
};

}  // namespace

std::vector<std::string> parse_values(std::string_view text, std::string_view what) {
  Values values(what);
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = trimmed(text.substr(0, comma));
    if (item.empty()) {
      throw InputError(fmt::format("{}: a value is empty; give a list such as 64,128", what));
    }
    if (const std::size_t dots = item.find(".."); dots != std::string_view::npos) {
      values.add_range(item, dots);
    } else {
      values.add(std::string(item));
    }
    if (comma == text.size()) return values.take();
    text.remove_prefix(comma + 1);
  }
}

}  // namespace weft::runtime
