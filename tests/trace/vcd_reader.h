// Reads a value change dump back, simply and strictly. It reads token by token and checks every
// rule of the format that Weft's dumps rely on.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <istream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace weft::test {

class VcdReader {
 public:
  struct Variable {
    std::string kind;
    std::size_t width = 0;
    std::string code;
  };

  explicit VcdReader(std::istream& in) : in_(in) {
    read_header();
    read_values();
  }

  /// Variables by path, such as "top.u_mxu.gen_row[0].act_q".
  const std::map<std::string, Variable>& variables() const { return variables_; }
  const std::vector<std::uint64_t>& times() const { return times_; }

  /// Kinds of scopes, "module" or "begin", by path.
  const std::map<std::string, std::string>& scopes() const { return scopes_; }

  /// The value at `time` in as many binary digits as the variable has bits; "x" if unknown.
  std::string at(const std::string& path, std::uint64_t time) const {
    const Variable& variable = variables_.at(path);
    std::string value = "not yet";
    for (const auto& [when, what] : changes_.at(variable.code)) {
      if (when <= time) value = what;
    }
    return value;
  }

  /// The value at `time` as a number; throws for x.
  std::uint64_t number_at(const std::string& path, std::uint64_t time) const {
    const std::string digits = at(path, time);
    std::size_t used = 0;
    const std::uint64_t number = std::stoull(digits, &used, 2);
    check(used == digits.size(), digits);
    return number;
  }

 private:
  static void check(bool good, const std::string& what) {
    if (!good) throw std::runtime_error("bad VCD: " + what);
  }

  std::string token() {
    std::string text;
    check(static_cast<bool>(in_ >> text), "ends early");
    return text;
  }

  void skip_to_end() {
    while (token() != "$end") {
    }
  }

  void read_header() {
    for (std::string word = token(); word != "$enddefinitions"; word = token()) {
      if (word == "$scope") {
        read_scope();
      } else if (word == "$var") {
        read_variable();
      } else if (word == "$upscope") {
        check(!path_.empty(), "$upscope without a scope");
        path_.pop_back();
        check(token() == "$end", word);
      } else {
        check(word == "$comment" || word == "$timescale", word);
        skip_to_end();
      }
    }
    check(path_.empty() && token() == "$end", "open scopes");
  }

  void read_scope() {
    const std::string kind = token();
    path_.push_back(token());
    check(scopes_.emplace(joined(""), kind).second, "scope twice");
    check(token() == "$end", "$scope");
  }

  void read_variable() {
    Variable variable;
    variable.kind = token();
    variable.width = std::stoul(token());
    variable.code = token();
    const std::string path = joined(token());
    std::string end = token();
    if (end != "$end") {
      check(end == "[" + std::to_string(variable.width - 1) + ":0]", end);
      end = token();
    }
    check(end == "$end", path);
    check(changes_.try_emplace(variable.code).second, "code twice: " + variable.code);
    widths_[variable.code] = variable.width;
    check(variables_.emplace(path, variable).second, "name twice: " + path);
  }

  std::string joined(const std::string& name) const {
    std::string path;
    for (const std::string& scope : path_) path += (path.empty() ? "" : ".") + scope;
    return name.empty() ? path : path + "." + name;
  }

  void read_values() {
    std::string word;
    bool initial = false;
    std::set<std::string> dumped;
    while (in_ >> word) {
      if (word[0] == '#') {
        read_time(word, initial);
      } else if (word == "$dumpvars") {
        check(times_.size() == 1 && dumped.empty(), "late $dumpvars");
        initial = true;
      } else if (word == "$end") {
        check(initial && dumped.size() == variables_.size(), "$dumpvars lacks variables");
        initial = false;
      } else {
        const std::string code = read_change(word);
        check(!initial || dumped.insert(code).second, "$dumpvars sets twice: " + code);
      }
    }
    check(!initial, "$dumpvars is open");
  }

  void read_time(const std::string& word, bool initial) {
    const std::uint64_t time = std::stoull(word.substr(1));
    check(!initial && (times_.empty() || time > times_.back()), "time " + word);
    times_.push_back(time);
  }

  std::string read_change(const std::string& word) {
    const bool vector = word[0] == 'b';
    const std::string digits = vector ? word.substr(1) : word.substr(0, 1);
    const std::string code = vector ? token() : word.substr(1);
    check(changes_.contains(code), "no variable has the code " + code);
    const std::size_t width = widths_[code];
    check(vector == (width > 1) && !digits.empty() && digits.size() <= width, word);
    check(digits == "x" || digits.find_first_not_of("01") == std::string::npos, word);
    const std::string value =
        digits == "x" ? digits : std::string(width - digits.size(), '0') + digits;
    auto& changes = changes_[code];
    check(changes.empty() || changes.back().second != value, "no change: " + word + " " + code);
    changes.emplace_back(times_.back(), value);
    return code;
  }

  std::istream& in_;
  std::vector<std::string> path_;
  std::map<std::string, std::string> scopes_;
  std::map<std::string, Variable> variables_;
  std::map<std::string, std::size_t> widths_;
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>> changes_;
  std::vector<std::uint64_t> times_;
};

/// The scope of a PE's registers in the RTL hierarchy, with a trailing dot.
inline std::string pe_path(const std::string& top, std::uint32_t row, std::uint32_t col) {
  return fmt::format("{}.u_mxu.gen_row[{}].gen_col[{}].gen_pe.u_pe.u_registers.", top, row, col);
}

}  // namespace weft::test
