// Writes the --html page as a single file. docs/page.md describes its data and its parts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace weft::report {

/// The page with `data` in it. The key "title" names the page. Any text in `data` is safe.
std::string page_html(const nlohmann::ordered_json& data);

}  // namespace weft::report
