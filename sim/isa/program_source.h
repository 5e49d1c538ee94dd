// The file and line of each part of a program, so that an error found long after assembly (a tensor
// that overlaps, a hazard, a deadlock) can name them. Takes 4 bytes per instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/// Lines count from 1. A compiled program has no source: no file, no lines.
struct ProgramSource {
  std::string file;
  std::uint32_t machine_line = 0;
  std::uint32_t computes_line = 0;
  std::vector<std::uint32_t> tensor_lines;  // of Program::tensors
  std::vector<std::uint32_t> code_lines;    // of Program::code
};

struct Program;

/// The name of an instruction in all messages about a run: "instruction 7 (matmul)", or
/// "instruction 7 (matmul, prog.weft:21)" if the program has a source. Instructions count from 0.
std::string instruction_name(const Program& program, std::size_t index);

/// The beginning of a message about a line: "prog.weft:21: ", or "" without a source.
std::string line_prefix(const ProgramSource& source, std::uint32_t line);

/// The line of entry `index`, or 0 if there is none.
std::uint32_t line_of(const std::vector<std::uint32_t>& lines, std::size_t index);

}  // namespace weft
