#include "report/page/page.h"

#include <string_view>

#include "report/page/assets.h"

namespace weft::report {
namespace {

/// Replaces every `from` by `to`.
std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t next = text.find(from); next != std::string_view::npos;
       next = text.find(from, at)) {
    result.append(text.substr(at, next - at)).append(to);
    at = next + from.size();
  }
  return result.append(text.substr(at));
}

/// Escapes text for HTML.
std::string escaped(std::string_view text) {
  return replaced(replaced(text, "&", "&amp;"), "<", "&lt;");
}

/// JSON that cannot close the element around it. In JSON, "<" occurs only in strings, where an
/// escape can replace it.
std::string embedded(const nlohmann::ordered_json& data) {
  constexpr auto kReplaceBadUtf8 = nlohmann::ordered_json::error_handler_t::replace;
  return replaced(data.dump(-1, ' ', true, kReplaceBadUtf8), "<", "\\u003c");
}

std::string scripts() {
  std::string elements;
  for (const Asset& asset : assets()) {
    if (!asset.name.ends_with(".js")) continue;
    elements.append("<script>\n").append(asset.text()).append("\n</script>\n");
  }
  return elements;
}

std::string style() {
  std::string sheets;
  for (const Asset& asset : assets()) {
    if (asset.name.ends_with(".css")) sheets.append(asset.text());
  }
  return sheets;
}

std::string_view text_of(std::string_view name) {
  for (const Asset& asset : assets()) {
    if (asset.name == name) return asset.text();
  }
  return {};
}

}  // namespace

std::string page_html(const nlohmann::ordered_json& data) {
  // One pass over the template, so that placeholders within inserted text are not replaced.
  const std::string_view frame = text_of("page.html");
  std::string page;
  std::size_t at = 0;
  for (std::size_t open = frame.find("{{"); open != std::string_view::npos;
       open = frame.find("{{", at)) {
    const std::size_t close = frame.find("}}", open);
    const std::string_view key = frame.substr(open + 2, close - open - 2);
    page.append(frame.substr(at, open - at));
    if (key == "title") page += escaped(data.at("title").get<std::string>());
    if (key == "style") page += style();
    if (key == "data") page += embedded(data);
    if (key == "scripts") page += scripts();
    at = close + 2;
  }
  return page.append(frame.substr(at));
}

}  // namespace weft::report
