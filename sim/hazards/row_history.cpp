#include "sim/hazards/row_history.h"

#include <algorithm>
#include <iterator>

namespace weft {

void RowHistory::split(std::uint64_t row) {
  auto next = segments_.upper_bound(row);
  if (next == segments_.begin()) return;
  auto segment = std::prev(next);
  if (segment->first == row || segment->second.end <= row) return;
  Segment tail = segment->second;
  segment->second.end = row;
  segments_.emplace_hint(next, row, tail);
}

void RowHistory::fill(std::uint64_t begin, std::uint64_t end) {
  auto next = segments_.lower_bound(begin);
  while (begin < end) {
    if (next != segments_.end() && next->first == begin) {
      begin = next->second.end;
      ++next;
      continue;
    }
    const std::uint64_t gap_end = next == segments_.end() ? end : std::min(end, next->first);
    Segment fresh;
    fresh.end = gap_end;
    segments_.emplace_hint(next, begin, fresh);
    begin = gap_end;
  }
}

RowHistory::Segments::iterator RowHistory::cover(std::uint64_t begin, std::uint64_t end) {
  // Programs reuse the same buffers over and over, so most ranges are one known segment.
  // And strided convolutions come to the rows of a line one after the other.
  auto near = last_;
  for (int i = 0; i < kNear && near != segments_.end(); ++i, ++near) {
    if (near->first == begin && near->second.end == end) return last_ = near;
  }
  if (auto known = segments_.find(begin); known != segments_.end() && known->second.end == end) {
    return last_ = known;
  }
  split(begin);
  split(end);
  fill(begin, end);
  return last_ = segments_.find(begin);
}

std::optional<Conflict> RowHistory::conflict_of_read(const Segments::value_type& segment,
                                                     const Access& access) const {
  const auto& [first, history] = segment;
  if (!history.write.happened()) {
    if (initialized_) return std::nullopt;
    return Conflict{first, history.write, true, false};
  }
  const auto row = first_conflict(history.write, access, first, history.end);
  if (row == history.end) return std::nullopt;
  return Conflict{row, history.write, true, false};
}

void RowHistory::keep_read(Segments::iterator segment, const Access& access, Reader reader) {
  Access& kept = segment->second.reads[static_cast<std::size_t>(reader)];
  if (kept.instruction != access.instruction) {
    kept = access;
    return;
  }
  const auto is_later = [&](std::uint64_t row) { return access.last(row) > kept.last(row); };
  const bool later = is_later(segment->first);
  std::uint64_t end = segment->first + 1;
  while (end < segment->second.end && is_later(end) == later) ++end;
  split(end);
  if (later) kept = access;
}

std::optional<Conflict> RowHistory::read(std::uint64_t begin, std::uint64_t end,
                                         const Access& access, Reader reader) {
  for (auto it = cover(begin, end); it != segments_.end() && it->first < end; ++it) {
    if (auto conflict = conflict_of_read(*it, access)) return conflict;
    keep_read(it, access, reader);
  }
  return std::nullopt;
}

std::optional<Conflict> RowHistory::check_read(std::uint64_t begin, std::uint64_t end,
                                               const Access& access) {
  for (auto it = cover(begin, end); it != segments_.end() && it->first < end; ++it) {
    if (auto conflict = conflict_of_read(*it, access)) return conflict;
  }
  return std::nullopt;
}

std::optional<Conflict> RowHistory::write(std::uint64_t begin, std::uint64_t end,
                                          const Access& access) {
  const auto conflict_with = [&access](const Access& earlier, std::uint64_t first,
                                       std::uint64_t last) -> std::optional<std::uint64_t> {
    if (!earlier.happened()) return std::nullopt;
    if (earlier.instruction == access.instruction) return first;
    const auto row = first_conflict(earlier, access, first, last);
    return row == last ? std::nullopt : std::optional(row);
  };
  for (auto it = cover(begin, end); it != segments_.end() && it->first < end; ++it) {
    Segment& segment = it->second;
    for (Access& read : segment.reads) {
      if (auto row = conflict_with(read, it->first, segment.end)) {
        return Conflict{*row, read, false, true};
      }
      read = Access{};
    }
    if (auto row = conflict_with(segment.write, it->first, segment.end)) {
      return Conflict{*row, segment.write, true, true};
    }
    segment.write = access;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> RowHistory::first_unwritten(std::uint64_t begin,
                                                         std::uint64_t end) const {
  auto it = segments_.upper_bound(begin);
  if (it != segments_.begin()) --it;
  for (; it != segments_.end() && begin < end; ++it) {
    if (it->second.end <= begin) continue;
    if (it->first > begin || !it->second.write.happened()) return begin;
    begin = it->second.end;
  }
  return begin < end ? std::optional(begin) : std::nullopt;
}

}  // namespace weft
