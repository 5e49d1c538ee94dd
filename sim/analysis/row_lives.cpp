#include "sim/analysis/row_lives.h"

#include <iterator>
#include <utility>

namespace weft {

RowLives::Contents::iterator RowLives::cut(Contents::iterator content, std::uint64_t row) {
  const Content tail = content->second;
  content->second.end = row;
  return contents_.emplace_hint(std::next(content), row, tail);
}

RowLives::Contents::iterator RowLives::first_from(std::uint64_t row) {
  const auto next = contents_.upper_bound(row);
  if (next == contents_.begin()) return next;
  const auto content = std::prev(next);
  if (content->first == row) return content;
  return content->second.end > row ? cut(content, row) : next;
}

// Adds `content` to the rows that have none.
void RowLives::fill(RowRange rows, const Content& content) {
  auto next = contents_.lower_bound(rows.begin);
  for (std::uint64_t row = rows.begin; row < rows.end;) {
    const bool last = next == contents_.end() || next->first >= rows.end;
    const std::uint64_t end = last ? rows.end : next->first;
    if (row < end) {
      Content part = content;
      part.end = end;
      contents_.emplace_hint(next, row, part);
    }
    if (last) return;
    row = next->second.end;
    ++next;
  }
}

void RowLives::write(RowRange rows, const RowPace& first, const RowPace& last, LaneRange lanes,
                     bool combines) {
  auto next = first_from(rows.begin);
  while (next != contents_.end() && next->first < rows.end) {
    if (next->second.end > rows.end) cut(next, rows.end);
    Content& content = next->second;
    if (content.read && content.lanes.meets(lanes) && !combines) {
      close(*next);
      next = contents_.erase(next);
      continue;
    }
    content.lanes = {std::min(content.lanes.begin, lanes.begin),
                     std::max(content.lanes.end, lanes.end)};
    content.read = false;
    const auto known = next++;
    keep_later(known, last);
  }
  fill(rows, {0, first, last, lanes, false});
}

void RowLives::read(RowRange rows, const RowPace& last) {
  auto next = first_from(rows.begin);
  while (next != contents_.end() && next->first < rows.end) {
    if (next->second.end > rows.end) cut(next, rows.end);
    next->second.read = true;
    const auto known = next++;  // now, because keep_later() may cut it
    keep_later(known, last);
  }
}

void RowLives::read_each(std::uint64_t row, std::uint64_t count, std::uint64_t step, Cycle cycle) {
  auto content = first_from(row);
  for (std::uint64_t i = 0; i < count; ++i, row += step) {
    while (content != contents_.end() && content->second.end <= row) ++content;
    if (content == contents_.end()) return;
    if (content->first > row) continue;
    if (content->first < row) content = cut(content, row);
    if (content->second.end > row + 1) cut(content, row + 1);
    content->second.read = true;
    keep_later(content, {cycle + static_cast<Cycle>(i)});
  }
}

// Two units may read in either order, so the last read in the program need not be the last in time.
// Cuts the content where the later of the two changes.
void RowLives::keep_later(Contents::iterator content, const RowPace& pace) {
  const RowPace kept = content->second.last;
  std::uint64_t row = content->first;
  const std::uint64_t end = content->second.end;
  if (pace.at(row) >= kept.at(end - 1)) {
    content->second.last = pace;
    return;
  }
  if (kept.at(row) >= pace.at(end - 1)) return;
  while (true) {
    const bool later = pace.at(row) > kept.at(row);
    content->second.last = later ? pace : kept;  // cut() copies this value to the part it cuts off
    while (row < end && (pace.at(row) > kept.at(row)) == later) ++row;
    if (row == end) return;
    content = cut(content, row);
  }
}

// Adds `sign` for each row, `delay` cycles after the cycle that `pace` gives it: a ramp for whole
// groups, jumps for groups that are cut at either end.
void RowLives::count(RowRange rows, const RowPace& pace, Cycle delay, std::int64_t sign) {
  const auto jump = [&](std::uint64_t begin, std::uint64_t end) {
    if (begin < end) {
      occupied_.jump(pace.at(begin) + delay, sign * static_cast<std::int64_t>(end - begin));
    }
  };
  if (pace.group == 0) return jump(rows.begin, rows.end);
  const std::uint64_t cut_at_begin = (rows.begin - pace.origin) % pace.group;
  const std::uint64_t skip = cut_at_begin == 0 ? 0 : pace.group - cut_at_begin;
  const std::uint64_t whole_begin = std::min(rows.end, rows.begin + skip);
  const std::uint64_t groups = (rows.end - whole_begin) / pace.group;
  const std::uint64_t whole_end = whole_begin + groups * pace.group;
  jump(rows.begin, whole_begin);
  if (groups > 0) {
    occupied_.ramp(pace.at(whole_begin) + delay, static_cast<Cycle>(groups),
                   sign * static_cast<std::int64_t>(pace.group));
  }
  jump(whole_end, rows.end);
}

void RowLives::close(const Contents::value_type& content) {
  const auto& [begin, life] = content;
  count({begin, life.end}, life.first, 0, 1);
  count({begin, life.end}, life.last, 1, -1);
}

Staircase RowLives::finish() && {
  for (const auto& content : contents_) close(content);
  return std::move(occupied_).points();
}

}  // namespace weft
