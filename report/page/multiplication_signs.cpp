#include "report/page/multiplication_signs.h"

#include <cstddef>

namespace weft::report {
namespace {

using nlohmann::ordered_json;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether a number beside this character is part of a name.
bool is_in_name(char c) {
  return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '.' ||
         c == '-' || c == '/';
}

/// The end of the number that begins at `at`, such as "1,024".
std::size_t number_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  const bool goes_on = at + 1 < text.size() && text[at] == ',' && is_digit(text[at + 1]);
  return goes_on ? number_end(text, at + 1) : at;
}

/// The length of the "x" or " x " at `at`, if a number follows; else 0.
std::size_t sign_length(std::string_view text, std::size_t at) {
  for (const std::string_view sign : {"x", " x "}) {
    const std::size_t end = at + sign.size();
    if (text.substr(at, sign.size()) == sign && end < text.size() && is_digit(text[end])) {
      return sign.size();
    }
  }
  return 0;
}

/// The end of the numbers with signs between them that begin at `at`.
std::size_t sizes_end(std::string_view text, std::size_t at) {
  std::size_t end = number_end(text, at);
  while (const std::size_t length = sign_length(text, end)) end = number_end(text, end + length);
  return end;
}

std::string with_signs(std::string_view sizes) {
  std::string text;
  for (const char c : sizes) text += c == 'x' ? std::string("×") : std::string(1, c);
  return text;
}

/// The same in all texts of a value.
void write_signs(ordered_json& value) {
  if (value.is_string()) {
    value = with_multiplication_signs(value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    for (ordered_json& part : value) write_signs(part);
  }
}

/// The same in the members of an object, or of the objects of a list.
void write_signs_in(ordered_json& value, std::initializer_list<const char*> members) {
  if (value.is_array()) {
    for (ordered_json& part : value) write_signs_in(part, members);
  } else if (value.is_object()) {
    for (const char* member : members) {
      if (value.contains(member)) write_signs(value[member]);
    }
  }
}

}  // namespace

std::string with_multiplication_signs(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = is_digit(text[at]) && (at == 0 || !is_in_name(text[at - 1]));
    const std::size_t end = begins ? sizes_end(text, at) : at + 1;
    const std::string_view part = text.substr(at, end - at);
    const bool is_name = end < text.size() && is_in_name(text[end]) && text[end] != '.';
    result += begins && !is_name ? with_signs(part) : std::string(part);
    at = end;
  }
  return result;
}

void write_multiplication_signs(ordered_json& data) {
  write_signs_in(data, {"title", "lines", "figures", "notes", "account", "advice"});
  const auto in = [&](const char* part, std::initializer_list<const char*> members) {
    if (data.contains(part)) write_signs_in(data[part], members);
  };
  in("report", {"notes"});
  in("mappings", {"facts"});
  in("layers", {"shape", "why", "lanes"});
  in("candidates", {"chosen", "sentences", "doubled_sentences"});
  in("why", {"workload"});
  if (data.contains("candidates")) {
    write_signs_in(data["candidates"]["runs"], {"decisions", "reason"});
  }
}

}  // namespace weft::report
