// What a table of operands is made of: descriptors that pair a key with a member and a codec, and
// the loop over them. A table is a constexpr std::tuple of Operand.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

namespace weft {

/// The way from an operation to the part of it that an operand sets: a chain of members; with none,
/// the whole operation.
template <class... Members>
struct Path {
  std::tuple<Members...> members;

  template <class Op>
  constexpr auto& operator()(Op& op) const {
    return std::apply(
        [&](const auto&... member) -> auto& { return (op.*....*member); }, members);
  }
};

template <class Codec, class Get>
struct Operand {
  std::string_view key;
  Codec codec;
  Get get;
  bool required;
  std::string_view doc;

  template <class Op>
  bool is_default(const Op& op) const {
    if (required) return false;
    if constexpr (Codec::kPlainDefault) {
      return get(op) == get(kFresh<Op>);
    } else {
      return codec.is_default(get(op));
    }
  }

  template <class Op>
  void set_default(Op& op) const {
    if constexpr (Codec::kPlainDefault) {
      get(op) = get(kFresh<Op>);
    } else {
      codec.set_default(get(op));
    }
  }

 private:
  template <class Op>
  static inline const Op kFresh{};
};

/// Calls function(operand, index) for each operand of the table.
template <class Operands, class Function>
constexpr void for_each_operand(const Operands& operands, Function&& function) {
  std::apply(
      [&](const auto&... operand) {
        std::size_t index = 0;
        (function(operand, index++), ...);
      },
      operands);
}

}  // namespace weft
