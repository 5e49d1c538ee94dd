// The operand tables of docs/isa.md, generated from the tables that the assembler uses.
#pragma once

#include <string>

namespace weft {

/// Markdown: one table for each opcode, one for the operand that all opcodes share, then the other
/// lines of a program. tools/isa_doc writes it between the markers of docs/isa.md; a test compares
/// the two.
std::string instruction_set_markdown();

}  // namespace weft
