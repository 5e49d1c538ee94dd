// Codecs: how an operand's value is written, read, packed and described. There is one small type
// for each kind of operand; the tables in instruction_table.h and directive_table.h use them.
//
// A codec has kBits (its width in the binary form), parse(text, value) (false if the text is not
// such a value), print(value, out), encode, decode (false if the bits are not such a value) and
// form() (its description in docs and errors). kPlainDefault: the default is the value in a
// default-constructed operation; otherwise the codec has is_default() and set_default(), which take
// the whole operation.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "sim/isa/instruction.h"
#include "sim/isa/program.h"
#include "sim/isa/text/bit_stream.h"

namespace weft {

/// Reads all of `text` as a number of type T in plain decimal (or hexadecimal) digits.
template <class T>
bool parse_number(std::string_view text, T& value, int base = 10) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  return error == std::errc{} && stop == end && !text.empty();
}

/// 1..64 letters, digits, '.', '_' or '-': names that need no quoting anywhere.
bool is_tensor_name(std::string_view text);

/// A row, a tile or a count.
template <class T>
struct Number {
  static constexpr unsigned kBits = std::numeric_limits<T>::digits;
  static constexpr bool kPlainDefault = true;

  bool parse(std::string_view text, T& value) const { return parse_number(text, value); }
  void print(T value, std::string& out) const { out += std::to_string(value); }
  void encode(BitWriter& writer, T value) const { writer.put(value, kBits); }
  bool decode(BitReader& reader, T& value) const {
    value = static_cast<T>(reader.get(kBits));
    return true;
  }
  std::string form() const { return "0.." + std::to_string(std::numeric_limits<T>::max()); }
};

/// A bit pattern of an element or of an accumulator.
template <class T>
struct Pattern : Number<T> {
  bool parse(std::string_view text, T& value) const {
    const bool hexadecimal = text.starts_with("0x");
    return parse_number(hexadecimal ? text.substr(2) : text, value, hexadecimal ? 16 : 10);
  }
  void print(T value, std::string& out) const {
    std::array<char, sizeof(T) * 2> digits{};
    const auto end = std::to_chars(digits.begin(), digits.end(), value, 16).ptr;
    out += "0x";
    out.append(digits.begin(), end);
  }
  std::string form() const {
    return std::to_string(Number<T>::kBits) + " bits, as 0x… or in decimal";
  }
};

/// One of a few names; the value is the name's index.
template <class E, std::size_t kCount>
struct Choice {
  static constexpr unsigned kBits = std::bit_width(kCount - 1);
  static constexpr bool kPlainDefault = true;
  std::array<std::string_view, kCount> names;

  bool parse(std::string_view text, E& value) const {
    for (std::size_t i = 0; i < kCount; ++i) {
      if (names[i] == text) return value = static_cast<E>(i), true;
    }
    return false;
  }
  void print(E value, std::string& out) const {
    const auto index = static_cast<std::size_t>(value);
    out += index < kCount ? names[index] : "unknown";
  }
  void encode(BitWriter& writer, E value) const {
    writer.put(static_cast<std::uint64_t>(value), kBits);
  }
  bool decode(BitReader& reader, E& value) const {
    const std::uint64_t index = reader.get(kBits);
    value = static_cast<E>(index);
    return index < kCount;
  }
  std::string form() const {
    std::string text;
    for (const std::string_view name : names) text.append(text.empty() ? "" : "|").append(name);
    return text;
  }
};

namespace detail {

/// Reads one number for each argument, with colons between them.
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
  (out.append(":").append(std::to_string(rest)), ...);
}

/// Reads comma-separated items with `parse_item`, at least one and at most items.size().
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

}  // namespace detail

/// Some members of a Value, written as 32-bit numbers with colons between them.
template <class Value, auto... kMembers>
struct WordGroup {
  static constexpr unsigned kBits = sizeof...(kMembers) * 32;
  static constexpr bool kPlainDefault = true;

  bool parse(std::string_view text, Value& value) const {
    return detail::parse_colons(text, value.*kMembers...);
  }
  void print(const Value& value, std::string& out) const {
    detail::print_colons(out, value.*kMembers...);
  }
  void encode(BitWriter& writer, const Value& value) const {
    (writer.put(static_cast<std::uint32_t>(value.*kMembers), 32), ...);
  }
  bool decode(BitReader& reader, Value& value) const {
    ((value.*kMembers =
          static_cast<std::remove_reference_t<decltype(value.*kMembers)>>(reader.get(32))),
     ...);
    return true;
  }
};

/// One to kSize items with commas between them. Items at the end that have their default value may
/// be left out.
template <class Codec, class Item, std::size_t kSize>
struct List {
  static constexpr unsigned kBits = kSize * Codec::kBits;
  static constexpr bool kPlainDefault = true;
  using Items = std::array<Item, kSize>;

  bool parse(std::string_view text, Items& items) const {
    items.fill(Item{});
    return detail::parse_list(
        text, items, [](std::string_view part, Item& item) { return Codec{}.parse(part, item); });
  }
  void print(const Items& items, std::string& out) const {
    std::size_t count = items.size();
    while (count > 1 && items[count - 1] == Item{}) --count;
    for (std::size_t i = 0; i < count; ++i) {
      out += i > 0 ? "," : "";
      Codec{}.print(items[i], out);
    }
  }
  void encode(BitWriter& writer, const Items& items) const {
    for (const Item& item : items) Codec{}.encode(writer, item);
  }
  bool decode(BitReader& reader, Items& items) const {
    return std::ranges::all_of(items, [&](Item& item) { return Codec{}.decode(reader, item); });
  }
};

/// The loops of the row generator of an operation Op (Matmul or Vector), innermost first. The
/// default is one loop over `rows` consecutive rows.
template <class Op>
struct Loops {
  static constexpr unsigned kBits = 4 * 64;
  static constexpr bool kPlainDefault = false;

  bool parse(std::string_view text, Op& op) const;
  void print(const Op& op, std::string& out) const;
  void encode(BitWriter& writer, const Op& op) const;
  bool decode(BitReader& reader, Op& op) const;
  bool is_default(const Op& op) const;
  void set_default(Op& op) const;
  std::string form() const { return "count:stride, up to 4, with commas"; }
};

/// The bounds of loops 0 and 1.
struct BoundPair
    : List<WordGroup<RowBound, &RowBound::origin, &RowBound::step, &RowBound::limit>, RowBound, 2> {
  std::string form() const { return "origin:step:limit, up to 2, with a comma"; }
};

/// A window of lanes.
struct WindowPair : WordGroup<LaneWindow, &LaneWindow::column, &LaneWindow::plane> {
  std::string form() const { return "column:plane"; }
};

/// Scale and zero point of int8 elements.
struct QuantizationPair : WordGroup<Quantization, &Quantization::scale, &Quantization::zero> {
  bool parse(std::string_view text, Quantization& quantization) const;
  void print(const Quantization& quantization, std::string& out) const;
  std::string form() const { return "scale:zero, the scale as 32 bits of binary32"; }
};

/// Rows and lanes of a tile in the unified buffer.
struct TileBlock : WordGroup<BufferTile, &BufferTile::row, &BufferTile::rows, &BufferTile::lanes> {
  std::string form() const { return "row:rows:lanes"; }
};

/// Elements of the patches that a load takes.
struct PatchElements : WordGroup<Patches, &Patches::first, &Patches::lanes> {
  std::string form() const { return "first:lanes"; }
};

/// One direction of a load's windows.
struct PatchAxisWords : WordGroup<PatchAxis, &PatchAxis::origin, &PatchAxis::step,
                                  &PatchAxis::limit, &PatchAxis::taps, &PatchAxis::dilation> {
  std::string form() const { return "origin:step:limit:taps:dilation"; }
};

/// An optional part of the operation, which exists if this operand is written. Its binary form is
/// one bit, then `codec` on the member of the part that `get` finds.
template <class Codec, class Get>
struct Owner {
  static constexpr unsigned kBits = 1 + Codec::kBits;
  static constexpr bool kPlainDefault = true;
  Codec codec;
  Get get;

  template <class Part>
  bool parse(std::string_view text, std::optional<Part>& part) const {
    if (!part) part.emplace();  // an earlier operand may have made the part
    return codec.parse(text, get(*part));
  }
  template <class Part>
  void print(const std::optional<Part>& part, std::string& out) const {
    if (part) codec.print(get(*part), out);
  }
  template <class Part>
  void encode(BitWriter& writer, const std::optional<Part>& part) const {
    writer.put(part ? 1 : 0, 1);
    if (part) return codec.encode(writer, get(*part));
    writer.skip(Codec::kBits);
  }
  template <class Part>
  bool decode(BitReader& reader, std::optional<Part>& part) const {
    part.reset();
    if (reader.get(1) == 0) return reader.skip_zeros(Codec::kBits);
    return codec.decode(reader, get(part.emplace()));
  }
  std::string form() const { return codec.form(); }
};
template <class Codec, class Get>
Owner(Codec, Get) -> Owner<Codec, Get>;

/// The UB row of a vector instruction's bias; by default there is no bias.
struct BiasRow {
  static constexpr unsigned kBits = 1 + 32;
  static constexpr bool kPlainDefault = false;

  bool parse(std::string_view text, Vector& vector) const;
  void print(const Vector& vector, std::string& out) const;
  void encode(BitWriter& writer, const Vector& vector) const;
  bool decode(BitReader& reader, Vector& vector) const;
  bool is_default(const Vector& vector) const { return !vector.has_bias; }
  void set_default(Vector& vector) const { vector.has_bias = false; }
  std::string form() const { return Number<std::uint32_t>{}.form(); }
};

/// Counts of retired instructions by unit: load:3,vector:1.
struct AfterCounts {
  static constexpr unsigned kBits = kUnitCount * 32;
  static constexpr bool kPlainDefault = true;

  bool parse(std::string_view text, After& after) const;
  void print(const After& after, std::string& out) const;
  void encode(BitWriter& writer, const After& after) const;
  bool decode(BitReader& reader, After& after) const;
  std::string form() const { return "unit:count, with commas, each unit once, counts from 1"; }
};

/// The name of a tensor.
struct Name {
  static constexpr bool kPlainDefault = true;

  bool parse(std::string_view text, std::string& name) const;
  void print(const std::string& name, std::string& out) const { out += name; }
  std::string form() const { return "1..64 letters, digits, '.', '_' or '-'"; }
};

/// A tensor's rows and columns: 5x6.
struct RowsByColumns {
  static constexpr bool kPlainDefault = false;

  bool parse(std::string_view text, TensorDecl& tensor) const;
  void print(const TensorDecl& tensor, std::string& out) const;
  bool is_default(const TensorDecl&) const { return false; }
  void set_default(TensorDecl&) const {}
  std::string form() const { return "ROWSxCOLS"; }
};

/// The element type of a tensor or a machine.
struct TypeName {
  static constexpr bool kPlainDefault = true;

  bool parse(std::string_view text, ElementType& type) const;
  void print(ElementType type, std::string& out) const { out += to_string(type); }
  std::string form() const { return "int8|bf16|fp16|int32|float32"; }
};

}  // namespace weft
