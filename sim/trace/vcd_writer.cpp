#include "sim/trace/vcd_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <ostream>

#include "base/error.h"
#include "base/printable.h"

namespace weft {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;
constexpr std::uint32_t kLargestWidth = 64;

void require(bool in_turn, std::string_view what) {
  if (!in_turn) throw SimulationError(fmt::format("waveform: {}", what));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

/// True for an identifier with an optional index. Anything else could end the declaration early or
/// break a viewer's paths.
bool is_name(std::string_view text) {
  const std::size_t bracket = text.find('[');
  if (bracket == std::string_view::npos) return is_identifier(text);
  const std::string_view index = text.substr(bracket + 1);
  return is_identifier(text.substr(0, bracket)) && index.size() >= 2 && index.back() == ']' &&
         std::ranges::all_of(index.substr(0, index.size() - 1), is_digit);
}

/// True for printable text without '$', which could be the "$end" of the comment.
bool is_comment(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return c == '\n' || (c >= ' ' && c <= '~' && c != '$'); });
}

/// "!" for 0 to "~" for 93, then "!!", "\"!", ...: all codes of one character, then all of two.
std::string identifier_code(std::uint32_t index) {
  constexpr std::uint32_t kFirst = '!';
  constexpr std::uint32_t kCount = '~' - '!' + 1;
  std::string code;
  for (std::uint32_t rest = index;; rest = rest / kCount - 1) {
    code += static_cast<char>(kFirst + rest % kCount);
    if (rest < kCount) return code;
  }
}

std::string_view keyword(VcdWriter::Scope scope) {
  return scope == VcdWriter::Scope::kModule ? "module" : "begin";
}

std::string_view keyword(VcdWriter::Kind kind) {
  switch (kind) {
    case VcdWriter::Kind::kWire:
      return "wire";
    case VcdWriter::Kind::kReg:
      return "reg";
    case VcdWriter::Kind::kInteger:
      return "integer";
  }
  return "";
}

/// Leading zeros are left out: a reader fills them in.
void append_binary(std::string& text, std::uint64_t value) {
  const auto digits = std::bit_width(value | 1U);  // zero has one digit as well
  for (auto rest = digits; rest > 0; --rest) text += (value >> (rest - 1) & 1U) != 0 ? '1' : '0';
}

}  // namespace

VcdWriter::VcdWriter(std::ostream& out, std::string_view comment) : out_(out), names_(1) {
  if (!is_comment(comment)) {
    throw InputError(
        fmt::format("waveform: {} cannot stand in a comment; use printable ASCII "
                    "without '$'",
                    printable(comment)));
  }
  buffer_ = fmt::format("$comment\n{}\n$end\n$timescale 1 ns $end\n", comment);
}

void VcdWriter::claim_name(std::string_view name) {
  require(phase_ == Phase::kHeader, "a declaration after the first value");
  if (!is_name(name)) {
    throw InputError(
        fmt::format("waveform: {} is not a name; use letters, digits and '_', with an "
                    "index [n] at most",
                    printable(name)));
  }
  if (!names_.back().emplace(name).second) {
    throw InputError(fmt::format("waveform: {} is declared twice in one scope", printable(name)));
  }
}

void VcdWriter::open_scope(Scope scope, std::string_view name) {
  claim_name(name);
  names_.emplace_back();
  fmt::format_to(std::back_inserter(buffer_), "$scope {} {} $end\n", keyword(scope), name);
}

void VcdWriter::close_scope() {
  require(phase_ == Phase::kHeader && names_.size() > 1, "no scope is open");
  names_.pop_back();
  buffer_ += "$upscope $end\n";
}

VcdWriter::Signal VcdWriter::add_signal(Kind kind, std::string_view name, std::uint32_t width) {
  require(width >= 1 && width <= kLargestWidth, "a signal has 1 to 64 bits");
  require(names_.size() > 1, "a signal outside every scope");
  claim_name(name);
  const Signal signal{static_cast<std::uint32_t>(variables_.size())};
  variables_.push_back(
      {.code = identifier_code(signal.index), .width = static_cast<std::uint8_t>(width)});
  const bool range = kind != Kind::kInteger && width > 1;
  fmt::format_to(std::back_inserter(buffer_), "$var {} {} {} {}{} $end\n", keyword(kind), width,
                 variables_.back().code, name, range ? fmt::format(" [{}:0]", width - 1) : "");
  if (buffer_.size() >= kBufferBytes) flush_buffer();
  return signal;
}

void VcdWriter::end_header() {
  require(names_.size() == 1, "a scope is still open");
  buffer_ += "$enddefinitions $end\n";
}

void VcdWriter::end_first_values() {
  for (Variable& variable : variables_) {
    if (variable.state == State::kUnset) write_unknown(variable);
  }
  buffer_ += "$end\n";
}

void VcdWriter::set_time(std::uint64_t time) {
  require(phase_ == Phase::kHeader || time > time_, "time stands still or runs backwards");
  if (phase_ == Phase::kHeader) end_header();
  if (phase_ == Phase::kFirstValues) end_first_values();
  if (buffer_.size() >= kBufferBytes) flush_buffer();
  time_ = time;
  fmt::format_to(std::back_inserter(buffer_), "#{}\n", time);
  if (phase_ == Phase::kHeader) buffer_ += "$dumpvars\n";
  phase_ = phase_ == Phase::kHeader ? Phase::kFirstValues : Phase::kChanges;
}

void VcdWriter::write_value(Variable& variable, std::uint64_t value) {
  variable.value = value;
  variable.state = State::kKnown;
  if (variable.width > 1) buffer_ += 'b';
  append_binary(buffer_, value);
  if (variable.width > 1) buffer_ += ' ';
  buffer_ += variable.code;
  buffer_ += '\n';
}

void VcdWriter::write_unknown(Variable& variable) {
  variable.state = State::kUnknown;
  buffer_ += variable.width > 1 ? "bx " : "x";
  buffer_ += variable.code;
  buffer_ += '\n';
}

void VcdWriter::set(Signal signal, std::uint64_t value) {
  require(phase_ != Phase::kHeader, "a value before the first time");
  Variable& variable = variables_[signal.index];
  const std::uint64_t bits = value & (~std::uint64_t{0} >> (kLargestWidth - variable.width));
  if (variable.state != State::kKnown || variable.value != bits) write_value(variable, bits);
}

void VcdWriter::set_unknown(Signal signal) {
  require(phase_ != Phase::kHeader, "a value before the first time");
  Variable& variable = variables_[signal.index];
  if (variable.state != State::kUnknown) write_unknown(variable);
}

void VcdWriter::finish(std::uint64_t time) {
  set_time(time);
  if (phase_ == Phase::kFirstValues) end_first_values();
  flush_buffer();
  if (!out_.flush()) throw InputError("waveform: cannot write; free some space");
}

void VcdWriter::flush_buffer() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  if (!out_) throw InputError("waveform: cannot write; free some space");
}

}  // namespace weft
