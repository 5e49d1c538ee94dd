// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t value);

/// Three significant digits and an SI prefix: si(9.22e-5, "s") is "92.2 us".
std::string si(double value, std::string_view unit);

/// Clears the sign bit that some instructions set in a NaN. With it, NaN would print as "-nan".
double without_nan_sign(double value);

/// A number with its noun: "1 chunk", "1,000 chunks", "2 fetches".
std::string counted(std::uint64_t count, std::string_view thing);

/// A share from 0 to 1 with one decimal: "12.5 %". Only a full share gives "100.0 %".
std::string percent(double share);
/// Same in whole percent and without the unit; only an almost full share keeps its decimal: "12",
/// "99.8", "100".
std::string whole_percent(double share);

}  // namespace weft
