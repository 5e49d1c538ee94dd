// Sizes in the texts of a page. Texts that a terminal shows too write "4 x 4"; a page writes "4 ×
// 4", as its scripts do.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace weft::report {

/// Replaces the x between two numbers: "3x3 over 4 x 4" becomes "3×3 over 4 × 4". Parts of a name,
/// such as conv_3x3, stay as they are.
std::string with_multiplication_signs(std::string_view text);

/// Does so in those texts of a page's data that are sentences or sizes (docs/page.md), not in the
/// command and not in names.
void write_multiplication_signs(nlohmann::ordered_json& data);

}  // namespace weft::report
