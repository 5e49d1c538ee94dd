// The text form of programs: one line per instruction, `opcode key=value ...`, defaults left out.
// docs/isa.md has the grammar. Reading and writing lose nothing: assemble(disassemble(p)) == p for
// every program that validate() accepts. disassemble(assemble(text)) is `text` in canonical form:
// without comments and defaults, and with canonical spacing.
#pragma once

#include <cstddef>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>

#include "sim/isa/instruction.h"
#include "sim/isa/program.h"

namespace weft {

/// Reads a program up to its `end` line. `origin` names the text in errors, also in later ones
/// (Program::source). Skips a byte order mark. Throws InputError `origin:line: what` for text that
/// does not follow the grammar or ends early; validate() checks the rest.
Program assemble(std::istream& in, std::string_view origin);

/// assemble() on a file. Throws InputError if it cannot be opened.
Program assemble_file(const std::string& path);

/// The canonical text of a program.
std::string disassemble(const Program& program);

/// Writes the canonical text line by line, for programs that are too long for one string.
void disassemble(const Program& program, std::ostream& out);

/// The canonical text of one instruction, without a line end.
std::string format(const Instruction& instruction);

/// The inverse of format(). Throws InputError that does not name a line.
Instruction parse_instruction(std::string_view line);

}  // namespace weft
