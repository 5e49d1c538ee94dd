// The page of --html: one file with everything in it. Its data and its parts: docs/page.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace weft::cli {

/// The page around `data`, whose key "title" names it. Any text in `data` is safe.
std::string page_html(const nlohmann::ordered_json& data);

}  // namespace weft::cli
