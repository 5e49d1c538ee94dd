#include "tools/isa_doc/instruction_doc.h"

#include <fmt/format.h>

#include "sim/isa/text/directive_table.h"
#include "sim/isa/text/encoding.h"

namespace weft {
namespace {

/// Escapes '|', which would end the cell of the table.
std::string cell(std::string text) {
  for (std::size_t i = text.find('|'); i != std::string::npos; i = text.find('|', i + 2)) {
    text.replace(i, 1, "\\|");
  }
  return text;
}

template <class Codec, class Op, class Descriptor>
std::string default_text(const Descriptor& operand) {
  if (!operand.unless.empty()) return fmt::format("required, or `{}`", operand.unless);
  if (operand.required) return "required";
  if constexpr (!Codec::kPlainDefault) return "see meaning";
  std::string text;
  if constexpr (Codec::kPlainDefault) {
    const Op fresh{};
    operand.codec.print(operand.get(fresh), text);
  }
  return text.empty() ? "none" : "`" + text + "`";
}

template <class Op, class Codec, class Get>
std::string operand_row(const TableOperand<Codec, Get>& operand, bool with_bits) {
  std::string bits;
  if constexpr (requires { Codec::kBits; }) {
    if (with_bits) bits = fmt::format(" {} |", Codec::kBits);
  }
  return fmt::format("| `{}` | {} |{} {} | {} |\n", operand.key, cell(operand.codec.form()), bits,
                     default_text<Codec, Op>(operand), operand.doc);
}

std::string table_head(bool with_bits) {
  return fmt::format("| operand | written as |{} default | meaning |\n|---|---|{}---|---|\n",
                     with_bits ? " bits |" : "", with_bits ? "---|" : "");
}

template <class Entry>
std::string entry_markdown(const Entry& entry, bool with_bits) {
  std::string text =
      fmt::format("### `{}`\n\n{}\n\n{}", entry.name, entry.doc, table_head(with_bits));
  for_each_operand(entry.operands, [&](const auto& operand, std::size_t) {
    text += operand_row<typename Entry::Operation>(operand, with_bits);
  });
  return text + "\n";
}

}  // namespace

std::string instruction_set_markdown() {
  std::string text;
  for_each_operand(kInstructionSet, [&](const auto& opcode, std::size_t) {
    text += entry_markdown(opcode, /*with_bits=*/true);
  });
  text += "### Every instruction\n\n" + table_head(true) + operand_row<Instruction>(kAfter, true);
  text += fmt::format(
      "\nIn binary an instruction takes {} bytes: {} bits of opcode, {} of `after`, "
      "then the operands in the order of their table, then zeros. An operand that belongs to "
      "another (`a.loops` to `a`) may be written only together with it; without it, its bits are "
      "zeros.\n\n",
      kInstructionBytes, kOpcodeBits, AfterCounts::kBits);
  text += entry_markdown(kMachineLine, false) + entry_markdown(kTensorLine, false);
  return text + entry_markdown(kComputesLine, false);
}

}  // namespace weft
