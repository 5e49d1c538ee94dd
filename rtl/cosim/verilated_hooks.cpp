// Turns $error, $stop, $fatal and $finish in verilated code into a SimulationError with file, line
// and message; Verilator would print a line and call abort(). Verilator's runtime declares these
// functions, and its user defines them where VL_USER_* are defined.
#include "rtl/cosim/verilated_hooks.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace {

constexpr std::string_view kErrorMark = "%Error: ";

/// Verilator first prints a failing assertion and then calls vl_stop, without the text. Neither
/// call gets a context, so this variable carries the text from one to the other.
std::string& last_error() {
  thread_local std::string text;
  return text;
}

/// The message in a line like "[0] %Error: accumulator.sv:58: Assertion failed ...\n".
std::string error_message(std::string_view printed) {
  printed.remove_prefix(printed.find(kErrorMark) + kErrorMark.size());
  while (!printed.empty() && printed.back() == '\n') printed.remove_suffix(1);
  return std::string(printed);
}

[[noreturn]] void stop(const char* file, int line, const char* otherwise) {
  std::string message = std::exchange(last_error(), {});
  if (message.empty()) message = std::string(file) + ":" + std::to_string(line) + ": " + otherwise;
  throw weft::SimulationError("RTL: " + message);
}

}  // namespace

int weft_verilated_print(const char* format, ...) {
  std::array<char, 1024> text{};
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  const std::string_view printed = text.data();
  if (printed.find(kErrorMark) != std::string_view::npos) {
    last_error() = error_message(printed);
  } else {
    std::fputs(text.data(), stderr);
  }
  return 0;
}

// The Verilator headers that declare these functions do not compile under Weft's warnings.
void vl_stop(const char* file, int line, const char* scope);
void vl_finish(const char* file, int line, const char* scope);
void vl_fatal(const char* file, int line, const char* scope, const char* message);

void vl_stop(const char* file, int line, const char*) {
  stop(file, line, "$stop");
}

void vl_finish(const char* file, int line, const char*) {
  stop(file, line, "$finish, which the RTL must not call");
}

void vl_fatal(const char* file, int line, const char*, const char* message) {
  stop(file, line, message);
}
