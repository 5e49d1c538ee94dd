// The elements of a table of operands: descriptors that pair a key with a member and a codec, and
// the loop over them. A table is a constexpr std::tuple of TableOperand.
//
// Some operands belong to an optional part of the operation, such as a vector instruction's source
// in the unified buffer. The part exists if one operand, its owner, is written. The other operands
// of the part may be written only together with the owner; without it, their bits are zeros.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft {

/// The path from an operation to the member that an operand sets: a chain of members. An empty
/// chain means the whole operation.
template <class... Members>
struct Path {
  std::tuple<Members...> members;

  template <class Op>
  constexpr auto& operator()(Op& op) const {
    return std::apply(
        [&](const auto&... member) -> auto& { return (op.*....*member); }, members);
  }
};

/// The path to a member of an optional part. If the part is missing, reading gives the default
/// value and writing creates the part.
template <class Part, class... Members>
struct PartPath {
  Part part;
  Path<Members...> path;

  template <class Op>
  constexpr bool has_part(const Op& op) const {
    return (op.*part).has_value();
  }

  template <class Op>
  constexpr auto& operator()(Op& op) const {
    auto& optional = op.*part;
    if constexpr (std::is_const_v<Op>) {
      return optional ? path(*optional) : path(kFresh<Op>);
    } else {
      return path(optional ? *optional : optional.emplace());
    }
  }

 private:
  template <class Op>
  static inline const typename std::remove_cvref_t<
      decltype(std::declval<Op&>().*std::declval<Part>())>::value_type kFresh{};
};

/// Gives the whole operation to a codec that needs both the optional part and the rest.
template <class Part>
struct WithPart {
  Part part;

  template <class Op>
  constexpr bool has_part(const Op& op) const {
    return (op.*part).has_value();
  }

  template <class Op>
  constexpr auto& operator()(Op& op) const {
    return op;
  }
};

template <class Part>
WithPart(Part) -> WithPart<Part>;

template <class Codec, class Get>
struct TableOperand {
  std::string_view key;
  Codec codec;
  Get get;
  bool required;
  std::string_view doc;
  std::string_view unless = {};  // of a required operand: key of the alternative to it
  std::string_view owner = {};   // key of the operand that must be written with this one

  /// True if the operand belongs to a part that `op` lacks.
  template <class Op>
  bool is_missing(const Op& op) const {
    if constexpr (requires { get.has_part(op); }) {
      return !get.has_part(op);
    } else {
      return false;
    }
  }

  template <class Op>
  bool is_default(const Op& op) const {
    if (required) return false;
    if (is_missing(op)) return true;
    if constexpr (Codec::kPlainDefault) {
      return get(op) == get(kFresh<Op>);
    } else {
      return codec.is_default(get(op));
    }
  }

  template <class Op>
  void set_default(Op& op) const {
    if (is_missing(op)) return;
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

/// True if the text of `op` does not contain `operand`: it has its default, or its alternative is
/// written.
template <class Operands, class Descriptor, class Op>
bool is_left_out(const Operands& operands, const Descriptor& operand, const Op& op) {
  bool replaced = false;
  for_each_operand(operands, [&](const auto& other, std::size_t) {
    if (other.key == operand.unless) replaced = !other.is_default(op);
  });
  return replaced || operand.is_default(op);
}

}  // namespace weft
