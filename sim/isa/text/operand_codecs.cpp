#include "sim/isa/text/operand_codecs.h"

#include "sim/isa/text/instruction_table.h"

namespace weft {
namespace {

constexpr List<WordGroup<RowLoop, &RowLoop::count, &RowLoop::stride>, RowLoop, 4> kLoops;
constexpr Pattern<std::uint32_t> kWord;

/// The row generator of an operation; a vector instruction without a source gets one.
RowGenerator& generator_of(Matmul& matmul) {
  return matmul.ub;
}
const RowGenerator& generator_of(const Matmul& matmul) {
  return matmul.ub;
}
RowGenerator& generator_of(Vector& vector) {
  return vector.source ? vector.source->rows : vector.source.emplace().rows;
}
const RowGenerator& generator_of(const Vector& vector) {
  return vector.source->rows;
}

std::array<RowLoop, 4> contiguous_loops(std::uint32_t rows) {
  return {RowLoop{rows, 1}};
}

}  // namespace

template <class Op>
bool Loops<Op>::parse(std::string_view text, Op& op) const {
  return kLoops.parse(text, generator_of(op).loops);
}

template <class Op>
void Loops<Op>::print(const Op& op, std::string& out) const {
  kLoops.print(generator_of(op).loops, out);
}

template <class Op>
void Loops<Op>::encode(BitWriter& writer, const Op& op) const {
  kLoops.encode(writer, generator_of(op).loops);
}

template <class Op>
bool Loops<Op>::decode(BitReader& reader, Op& op) const {
  return kLoops.decode(reader, generator_of(op).loops);
}

template <class Op>
bool Loops<Op>::is_default(const Op& op) const {
  return generator_of(op).loops == contiguous_loops(op.rows);
}

template <class Op>
void Loops<Op>::set_default(Op& op) const {
  generator_of(op).loops = contiguous_loops(op.rows);
}

template struct Loops<Matmul>;
template struct Loops<Vector>;

bool QuantizationPair::parse(std::string_view text, Quantization& quantization) const {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos &&
         kWord.parse(text.substr(0, colon), quantization.scale) &&
         parse_number(text.substr(colon + 1), quantization.zero);
}

void QuantizationPair::print(const Quantization& quantization, std::string& out) const {
  kWord.print(quantization.scale, out);
  out.append(":").append(std::to_string(quantization.zero));
}

bool BiasRow::parse(std::string_view text, Vector& vector) const {
  vector.has_bias = true;
  return parse_number(text, vector.bias);
}

void BiasRow::print(const Vector& vector, std::string& out) const {
  out += std::to_string(vector.bias);
}

void BiasRow::encode(BitWriter& writer, const Vector& vector) const {
  writer.put(vector.has_bias ? 1 : 0, 1);
  kWord.encode(writer, vector.bias);
}

bool BiasRow::decode(BitReader& reader, Vector& vector) const {
  vector.has_bias = reader.get(1) != 0;
  return kWord.decode(reader, vector.bias) && (vector.has_bias || vector.bias == 0);
}

bool AfterCounts::parse(std::string_view text, After& after) const {
  std::array<std::uint8_t, kUnitCount> items{};  // only their number matters
  return detail::parse_list(text, items, [&](std::string_view item, std::uint8_t&) {
    const std::size_t colon = item.find(':');
    const auto unit = unit_from_name(item.substr(0, colon));
    if (!unit || colon == std::string_view::npos || after[*unit] != 0) return false;
    return parse_number(item.substr(colon + 1), after[*unit]) && after[*unit] != 0;
  });
}

void AfterCounts::print(const After& after, std::string& out) const {
  std::string_view separator;
  for (const Unit unit : kUnits) {
    if (after[unit] == 0) continue;
    out.append(separator).append(unit_name(unit)).append(":");
    out += std::to_string(after[unit]);
    separator = ",";
  }
}

void AfterCounts::encode(BitWriter& writer, const After& after) const {
  for (const std::uint32_t count : after.count) kWord.encode(writer, count);
}

bool AfterCounts::decode(BitReader& reader, After& after) const {
  return std::ranges::all_of(after.count,
                             [&](std::uint32_t& count) { return kWord.decode(reader, count); });
}

bool Name::parse(std::string_view text, std::string& name) const {
  name = text;
  return is_tensor_name(text);
}

bool RowsByColumns::parse(std::string_view text, TensorDecl& tensor) const {
  const std::size_t cross = text.find('x');
  return cross != std::string_view::npos && parse_number(text.substr(0, cross), tensor.rows) &&
         parse_number(text.substr(cross + 1), tensor.cols);
}

void RowsByColumns::print(const TensorDecl& tensor, std::string& out) const {
  out += std::to_string(tensor.rows) + 'x' + std::to_string(tensor.cols);
}

bool TypeName::parse(std::string_view text, ElementType& type) const {
  const auto known = element_type_from_string(text);
  if (known) type = *known;
  return known.has_value();
}

bool is_tensor_name(std::string_view text) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace weft
