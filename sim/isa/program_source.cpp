#include "sim/isa/program_source.h"

#include <fmt/format.h>

#include "sim/isa/program.h"

namespace weft {

std::uint32_t line_of(const std::vector<std::uint32_t>& lines, std::size_t index) {
  return index < lines.size() ? lines[index] : 0;
}

std::string line_prefix(const ProgramSource& source, std::uint32_t line) {
  return line == 0 ? "" : fmt::format("{}:{}: ", source.file, line);
}

std::string instruction_name(const Program& program, std::size_t index) {
  const std::string_view unit = unit_name(program.code[index].unit());
  const std::uint32_t line = line_of(program.source.code_lines, index);
  if (line == 0) return fmt::format("instruction {} ({})", index, unit);
  return fmt::format("instruction {} ({}, {}:{})", index, unit, program.source.file, line);
}

}  // namespace weft
