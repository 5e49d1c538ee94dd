// The files of the page, embedded when Weft is built: template, style, D3, scripts.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace weft::report {

struct Asset {
  std::string_view name;  // "page.css"
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes), size}; }
};

/// page.html, the style sheets, d3.min.js, then the scripts in the order in which the page runs
/// them.
std::span<const Asset> assets();

}  // namespace weft::report
