#include "sim/isa/operand_codecs.h"

#include "sim/isa/instruction_table.h"

namespace weft {
namespace {

constexpr RowLoop kOnce{};
constexpr RowBound kUnbounded{};
constexpr Pattern<std::uint32_t> kScale;

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

template <class First, class... Rest>
void print_colons(std::string& out, First first, Rest... rest) {
  out += std::to_string(first);
  ((out.append(":").append(std::to_string(rest))), ...);
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

void put_word(BitWriter& writer, std::uint32_t value) {
  writer.put(value, 32);
}

void put_signed(BitWriter& writer, std::int32_t value) {
  put_word(writer, static_cast<std::uint32_t>(value));
}

std::uint32_t get_word(BitReader& reader) {
  return static_cast<std::uint32_t>(reader.get(32));
}

std::int32_t get_signed(BitReader& reader) {
  return static_cast<std::int32_t>(get_word(reader));
}

/// The generator of an operation that has one.
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
  return {RowLoop{rows, 1}, kOnce, kOnce, kOnce};
}

}  // namespace

template <class Op>
bool Loops<Op>::parse(std::string_view text, Op& op) const {
  auto& loops = generator_of(op).loops;
  loops.fill(kOnce);
  return parse_list(text, loops, [](std::string_view item, RowLoop& loop) {
    return parse_colons(item, loop.count, loop.stride);
  });
}

template <class Op>
void Loops<Op>::print(const Op& op, std::string& out) const {
  const auto print_loop = [&](const RowLoop& loop) { print_colons(out, loop.count, loop.stride); };
  print_list(generator_of(op).loops, kOnce, print_loop, out);
}

template <class Op>
void Loops<Op>::encode(BitWriter& writer, const Op& op) const {
  for (const RowLoop& loop : generator_of(op).loops) {
    put_word(writer, loop.count);
    put_signed(writer, loop.stride);
  }
}

template <class Op>
bool Loops<Op>::decode(BitReader& reader, Op& op) const {
  for (RowLoop& loop : generator_of(op).loops) {
    loop.count = get_word(reader);
    loop.stride = get_signed(reader);
  }
  return true;
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

bool Bounds::parse(std::string_view text, Value& bounds) const {
  bounds.fill(kUnbounded);
  return parse_list(text, bounds, [](std::string_view item, RowBound& bound) {
    return parse_colons(item, bound.origin, bound.step, bound.limit);
  });
}

void Bounds::print(const Value& bounds, std::string& out) const {
  const auto print_bound = [&](const RowBound& bound) {
    print_colons(out, bound.origin, bound.step, bound.limit);
  };
  print_list(bounds, kUnbounded, print_bound, out);
}

void Bounds::encode(BitWriter& writer, const Value& bounds) const {
  for (const RowBound& bound : bounds) {
    put_signed(writer, bound.origin);
    put_signed(writer, bound.step);
    put_word(writer, bound.limit);
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

bool Window::parse(std::string_view text, LaneWindow& window) const {
  return parse_colons(text, window.column, window.plane);
}

void Window::print(const LaneWindow& window, std::string& out) const {
  print_colons(out, window.column, window.plane);
}

void Window::encode(BitWriter& writer, const LaneWindow& window) const {
  put_word(writer, window.column);
  put_word(writer, window.plane);
}

bool Window::decode(BitReader& reader, LaneWindow& window) const {
  window.column = get_word(reader);
  window.plane = get_word(reader);
  return true;
}

bool QuantizationPair::parse(std::string_view text, Quantization& quantization) const {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos &&
         kScale.parse(text.substr(0, colon), quantization.scale) &&
         parse_number(text.substr(colon + 1), quantization.zero);
}

void QuantizationPair::print(const Quantization& quantization, std::string& out) const {
  kScale.print(quantization.scale, out);
  out.append(":").append(std::to_string(quantization.zero));
}

void QuantizationPair::encode(BitWriter& writer, const Quantization& quantization) const {
  put_word(writer, quantization.scale);
  put_signed(writer, quantization.zero);
}

bool QuantizationPair::decode(BitReader& reader, Quantization& quantization) const {
  quantization.scale = get_word(reader);
  quantization.zero = get_signed(reader);
  return true;
}

bool TileBlock::parse(std::string_view text, BufferTile& tile) const {
  return parse_colons(text, tile.row, tile.rows, tile.lanes);
}

void TileBlock::print(const BufferTile& tile, std::string& out) const {
  print_colons(out, tile.row, tile.rows, tile.lanes);
}

void TileBlock::encode(BitWriter& writer, const BufferTile& tile) const {
  for (const std::uint32_t word : {tile.row, tile.rows, tile.lanes}) put_word(writer, word);
}

bool TileBlock::decode(BitReader& reader, BufferTile& tile) const {
  for (std::uint32_t* word : {&tile.row, &tile.rows, &tile.lanes}) *word = get_word(reader);
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
  put_word(writer, vector.bias);
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
  for (const std::uint32_t count : after.count) put_word(writer, count);
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
