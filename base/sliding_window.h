// The latest entries of a long sequence, by their position in it. Memory is proportional to the
// number of entries that are kept.
//
//   position   0 ... 41 | 42  43  44  45 |
//                dropped     kept          end() = 46
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace weft {

template <class T>
class SlidingWindow {
 public:
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return begin_ + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  T& operator[](std::uint64_t position) { return ring_[slot(position - begin_)]; }
  const T& operator[](std::uint64_t position) const { return ring_[slot(position - begin_)]; }
  T& front() { return ring_[slot(0)]; }
  const T& front() const { return ring_[slot(0)]; }
  T& back() { return ring_[slot(size_ - 1)]; }
  const T& back() const { return ring_[slot(size_ - 1)]; }

  void push_back(T entry) { add() = std::move(entry); }
  /// Appends an entry with any value, to be overwritten.
  T& add() {
    if (size_ == ring_.size()) grow();
    return ring_[slot(size_++)];
  }
  void pop_front() {
    first_ = slot(1);
    --size_;
    ++begin_;
  }
  /// Drops the entries before `position`, which is at most end().
  void drop_before(std::uint64_t position) {
    if (position <= begin_) return;
    first_ = slot(position - begin_);
    size_ -= position - begin_;
    begin_ = position;
  }
  /// Renumbers the entries, so that the first one is at `begin`.
  void renumber(std::uint64_t begin) { begin_ = begin; }

 private:
  static constexpr std::size_t kFirstSize = 16;

  // The ring's size is 0 or a power of two.
  std::size_t slot(std::size_t offset) const { return (first_ + offset) & (ring_.size() - 1); }
  void grow() {
    std::vector<T> larger(ring_.empty() ? kFirstSize : 2 * ring_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move(ring_[slot(i)]);
    ring_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> ring_;
  std::size_t first_ = 0;  // slot of the first entry
  std::size_t size_ = 0;
  std::uint64_t begin_ = 0;
};

}  // namespace weft
