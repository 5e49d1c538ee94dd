#include <sstream>

#include "sim/isa/text/directive_table.h"
#include "sim/isa/text/instruction_table.h"
#include "sim/isa/text/text.h"

namespace weft {
namespace {

template <class Descriptor, class Op>
void print_operand(const Descriptor& operand, const Op& op, std::string& line) {
  line.append(" ").append(operand.key).append("=");
  operand.codec.print(operand.get(op), line);
}

/// `name key=value ...` for an instruction's operation or a directive.
template <class Entry, class Op>
std::string print_line(const Entry& entry, const Op& op) {
  std::string line(entry.name);
  for_each_operand(entry.operands, [&](const auto& operand, std::size_t) {
    if (!is_left_out(entry.operands, operand, op)) print_operand(operand, op, line);
  });
  return line;
}

}  // namespace

std::string format(const Instruction& instruction) {
  std::string line;
  with_entry(instruction.opcode(), [&]<class Entry>(const Entry& entry) {
    line = print_line(entry, std::get<typename Entry::Operation>(instruction.operation));
  });
  if (!kAfter.is_default(instruction)) print_operand(kAfter, instruction, line);
  return line;
}

void disassemble(const Program& program, std::ostream& out) {
  out << "weft 1\n" << print_line(kMachineLine, program) << '\n';
  for (const TensorDecl& tensor : program.tensors) out << print_line(kTensorLine, tensor) << '\n';
  if (program.computes) out << print_line(kComputesLine, *program.computes) << '\n';
  for (const Instruction& instruction : program.code) out << format(instruction) << '\n';
  out << "end\n";
}

std::string disassemble(const Program& program) {
  std::ostringstream out;
  disassemble(program, out);
  return out.str();
}

}  // namespace weft
