// The operand tables of docs/isa.md, made from the tables that the assembler runs on.
#pragma once

#include <string>

namespace weft {

/// Markdown: one table for each opcode, then the operand that all have, then the other lines of a
/// program. tools/isa_doc writes it between the markers of docs/isa.md; a test compares the two.
std::string instruction_set_markdown();

}  // namespace weft
