// A short list that constant expressions can hold: the columns of constant tables.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>

namespace weft::graph {

/// At most `kMost` elements. More are an error: of the compiler, where a constant is made.
template <class T, std::size_t kMost>
class FixedList {
 public:
  constexpr FixedList() = default;
  constexpr FixedList(std::initializer_list<T> elements) {
    for (const T& element : elements) add(element);
  }

  constexpr const T* begin() const { return elements_.data(); }
  constexpr const T* end() const { return elements_.data() + size_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T& operator[](std::size_t i) const { return elements_.at(i); }

  friend constexpr FixedList operator+(FixedList a, const FixedList& b) {
    for (const T& element : b) a.add(element);
    return a;
  }

 private:
  constexpr void add(const T& element) { elements_.at(size_++) = element; }

  std::array<T, kMost> elements_ = {};
  std::size_t size_ = 0;
};

}  // namespace weft::graph
