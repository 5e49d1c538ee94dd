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
  std::uint64_t end() const { return begin_ + size(); }
  std::size_t size() const { return entries_.size() - dropped_; }
  bool empty() const { return size() == 0; }

  T& operator[](std::uint64_t position) { return entries_[dropped_ + (position - begin_)]; }
  const T& operator[](std::uint64_t position) const {
    return entries_[dropped_ + (position - begin_)];
  }
  T& front() { return entries_[dropped_]; }
  const T& front() const { return entries_[dropped_]; }
  T& back() { return entries_.back(); }
  const T& back() const { return entries_.back(); }

  void push_back(T entry) { entries_.push_back(std::move(entry)); }

  void pop_front() {
    ++dropped_;
    ++begin_;
    if (dropped_ < kSlack || dropped_ < entries_.size() / 2) return;
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(dropped_));
    dropped_ = 0;
  }
  /// Drops the entries before `position`, which is at most end().
  void drop_before(std::uint64_t position) {
    while (begin_ < position) pop_front();
  }
  /// Renumbers the entries, so that the first one is at `begin`.
  void renumber(std::uint64_t begin) { begin_ = begin; }

 private:
  static constexpr std::size_t kSlack = 64;

  std::vector<T> entries_;
  std::size_t dropped_ = 0;  // entries at the front that are not erased yet
  std::uint64_t begin_ = 0;
};

}  // namespace weft
