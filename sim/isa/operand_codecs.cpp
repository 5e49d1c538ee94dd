#include "sim/isa/operand_codecs.h"

#include "sim/isa/instruction_table.h"

namespace weft {
namespace {

constexpr RowLoop kOnce{};
constexpr RowBound kUnbounded{};

/// As many numbers as there are `values`, with colons between them.
template <class First, class... Rest>
bool parse_colons(std::string_view text, First& first, Rest&... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return parse_number(text, first);
  } else {
    const std::size_t colon = text.find(':');
    return colon != std::string_view::npos && parse_number(text.substr(0, colon), first) &&
           parse_colons(text.substr(colon + 1), rest...);
  }
}

/// Comma-separated items, at least one and at most items.size(), each read by `parse_item`.
template <class Items, class ParseItem>
bool parse_list(std::string_view text, Items& items, ParseItem parse_item) {
  std::size_t count = 0;
  while (count < items.size()) {
    const std::size_t comma = text.find(',');
    if (!parse_item(text.substr(0, comma), items[count++])) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
  return false;
}

/// Items up to the last that differs from `rest`, and at least one.
template <class Items, class PrintItem>
void print_list(const Items& items, const typename Items::value_type& rest, PrintItem print_item,
                std::string& out) {
  std::size_t count = items.size();
  while (count > 1 && items[count - 1] == rest) --count;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    print_item(items[i]);
  }
}

void put_signed(BitWriter& writer, std::int32_t value) {
  writer.put(static_cast<std::uint32_t>(value), 32);
}

std::uint32_t get_word(BitReader& reader) {
  return static_cast<std::uint32_t>(reader.get(32));
}

std::int32_t get_signed(BitReader& reader) {
  return static_cast<std::int32_t>(get_word(reader));
}

std::array<RowLoop, 4> contiguous_loops(std::uint32_t rows) {
  return {RowLoop{rows, 1}, kOnce, kOnce, kOnce};
}

}  // namespace

bool Loops::parse(std::string_view text, Matmul& matmul) const {
  matmul.ub.loops.fill(kOnce);
  return parse_list(text, matmul.ub.loops, [](std::string_view item, RowLoop& loop) {
    return parse_colons(item, loop.count, loop.stride);
  });
}

void Loops::print(const Matmul& matmul, std::string& out) const {
  const auto print_loop = [&](const RowLoop& loop) {
    out += std::to_string(loop.count) + ':' + std::to_string(loop.stride);
  };
  print_list(matmul.ub.loops, kOnce, print_loop, out);
}

void Loops::encode(BitWriter& writer, const Matmul& matmul) const {
  for (const RowLoop& loop : matmul.ub.loops) {
    writer.put(loop.count, 32);
    put_signed(writer, loop.stride);
  }
}

bool Loops::decode(BitReader& reader, Matmul& matmul) const {
  for (RowLoop& loop : matmul.ub.loops) {
    loop.count = get_word(reader);
    loop.stride = get_signed(reader);
  }
  return true;
}

bool Loops::is_default(const Matmul& matmul) const {
  return matmul.ub.loops == contiguous_loops(matmul.rows);
}

void Loops::set_default(Matmul& matmul) const {
  matmul.ub.loops = contiguous_loops(matmul.rows);
}

bool Bounds::parse(std::string_view text, Value& bounds) const {
  bounds.fill(kUnbounded);
  return parse_list(text, bounds, [](std::string_view item, RowBound& bound) {
    return parse_colons(item, bound.origin, bound.step, bound.limit);
  });
}

void Bounds::print(const Value& bounds, std::string& out) const {
  const auto print_bound = [&](const RowBound& bound) {
    out += std::to_string(bound.origin) + ':' + std::to_string(bound.step) + ':' +
           std::to_string(bound.limit);
  };
  print_list(bounds, kUnbounded, print_bound, out);
}

void Bounds::encode(BitWriter& writer, const Value& bounds) const {
  for (const RowBound& bound : bounds) {
    put_signed(writer, bound.origin);
    put_signed(writer, bound.step);
    writer.put(bound.limit, 32);
  }
}

bool Bounds::decode(BitReader& reader, Value& bounds) const {
  for (RowBound& bound : bounds) {
    bound.origin = get_signed(reader);
    bound.step = get_signed(reader);
    bound.limit = get_word(reader);
  }
  return true;
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
  writer.put(vector.bias, 32);
}

bool BiasRow::decode(BitReader& reader, Vector& vector) const {
  vector.has_bias = reader.get(1) != 0;
  vector.bias = get_word(reader);
  return vector.has_bias || vector.bias == 0;
}

bool AfterCounts::parse(std::string_view text, After& after) const {
  std::array<std::uint8_t, kUnitCount> items{};  // only their number matters
  return parse_list(text, items, [&](std::string_view item, std::uint8_t&) {
    const std::size_t colon = item.find(':');
    const auto unit = unit_from_name(item.substr(0, colon));
    if (!unit || colon == std::string_view::npos || after[*unit] != 0) return false;
    return parse_number(item.substr(colon + 1), after[*unit]) && after[*unit] != 0;
  });
}

void AfterCounts::print(const After& after, std::string& out) const {
  std::string_view separator = "";
  for (std::size_t i = 0; i < kUnitCount; ++i) {
    if (after.count[i] == 0) continue;
    out.append(separator).append(unit_name(static_cast<Unit>(i))).append(":");
    out += std::to_string(after.count[i]);
    separator = ",";
  }
}

void AfterCounts::encode(BitWriter& writer, const After& after) const {
  for (const std::uint32_t count : after.count) writer.put(count, 32);
}

bool AfterCounts::decode(BitReader& reader, After& after) const {
  for (std::uint32_t& count : after.count) count = get_word(reader);
  return true;
}

bool Name::parse(std::string_view text, std::string& name) const {
  name = text;
  return is_tensor_name(text);
}

bool Shape::parse(std::string_view text, TensorDecl& tensor) const {
  const std::size_t cross = text.find('x');
  return cross != std::string_view::npos && parse_number(text.substr(0, cross), tensor.rows) &&
         parse_number(text.substr(cross + 1), tensor.cols);
}

void Shape::print(const TensorDecl& tensor, std::string& out) const {
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
