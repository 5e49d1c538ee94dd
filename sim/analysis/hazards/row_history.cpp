#include "sim/analysis/hazards/row_history.h"

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
  // Programs reuse the same buffers, so most ranges are one known segment. Strided convolutions
  // visit neighboring segments in order, so the segments after the last one are tried first.
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
                                                     const Access& access,
                                                     const RowClass& rows) const {
  const auto& [first, history] = segment;
  if (!history.write.happened()) {
    if (initialized_) return std::nullopt;
    return Conflict{rows.first_from(first), history.write, true, false};
  }
  const auto row = first_conflict(history.write, access, first, history.end, rows);
  if (row == history.end) return std::nullopt;
  return Conflict{row, history.write, true, false};
}

void RowHistory::keep_read(Segments::iterator segment, const Access& access, Unit reader) {
  std::erase_if(segment->second.strided, [&](const StridedRead& old) {
    return old.reader == reader && old.access.instruction != access.instruction;
  });
  Access& kept = segment->second.reads[reader];
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

// If an instruction reads one class of rows several times, the latest read is kept. The reads
// advance at the same rate, so the latest one for one row is the latest for all.
void RowHistory::keep_strided(Segment& segment, const Access& access, Unit reader,
                              const RowClass& rows) {
  bool later = true;
  std::erase_if(segment.strided, [&](const StridedRead& old) {
    if (old.reader != reader) return false;
    if (old.access.instruction != access.instruction) return rows.covers(old.rows);
    if (old.rows != rows) return false;
    const std::uint64_t row = std::max(access.origin, old.access.origin);
    later = access.last(row) > old.access.last(row);
    return later;
  });
  if (later) segment.strided.push_back({reader, rows, access});
}

std::optional<Conflict> RowHistory::read(std::uint64_t begin, std::uint64_t end,
                                         const Access& access, Unit reader, const RowClass& rows) {
  for (auto it = cover(begin, end); it != segments_.end() && it->first < end; ++it) {
    if (!rows.meets(it->first, it->second.end)) continue;
    if (auto conflict = conflict_of_read(*it, access, rows)) return conflict;
    if (rows.step == 1 || it->second.end - it->first == 1) {
      keep_read(it, access, reader);
    } else {
      keep_strided(it->second, access, reader, rows);
    }
  }
  return std::nullopt;
}

std::optional<Conflict> RowHistory::check_read(std::uint64_t begin, std::uint64_t end,
                                               const Access& access) {
  for (auto it = cover(begin, end); it != segments_.end() && it->first < end; ++it) {
    if (auto conflict = conflict_of_read(*it, access, {})) return conflict;
  }
  return std::nullopt;
}

namespace {

/// The first row of the class that `later` writes before `earlier` has finished with it; `end` if
/// there is none. An instruction may not write a row that it has touched itself.
std::uint64_t first_clash(const Access& earlier, const Access& later, std::uint64_t begin,
                          std::uint64_t end, const RowClass& rows) {
  if (!earlier.happened()) return end;
  if (earlier.instruction == later.instruction) return std::min(rows.first_from(begin), end);
  return first_conflict(earlier, later, begin, end, rows);
}

}  // namespace

std::optional<Conflict> RowHistory::conflict_with_reads(const Segments::value_type& segment,
                                                        const Access& access, Unit reader) const {
  const auto& [first, history] = segment;
  const auto newer = [&](std::uint64_t row, const Access& than) {
    return std::ranges::any_of(history.strided, [&](const StridedRead& read) {
      return read.reader == reader && read.rows.contains(row) &&
             read.access.instruction > than.instruction;
    });
  };
  std::optional<Conflict> found;
  const auto compare = [&](const Access& earlier, const RowClass& rows) {
    const std::uint64_t end = found ? found->row : history.end;
    std::uint64_t row = first_clash(earlier, access, first, end, rows);
    while (row < end && newer(row, earlier)) {
      row = first_clash(earlier, access, row + 1, end, rows);
    }
    if (row < end) found = Conflict{row, earlier, false, true};
  };
  compare(history.reads[reader], {});
  for (const StridedRead& read : history.strided) {
    if (read.reader == reader) compare(read.access, read.rows);
  }
  return found;
}

std::optional<Conflict> RowHistory::conflict_of_write(const Segments::value_type& segment,
                                                      const Access& access) const {
  const auto& [first, history] = segment;
  std::optional<Conflict> found;
  for (const Unit reader : kUnits) {
    // The common case: few units read the same rows.
    if (!segment.second.reads[reader].happened() && segment.second.strided.empty()) continue;
    const auto conflict = conflict_with_reads(segment, access, reader);
    if (conflict && (!found || conflict->row < found->row)) found = conflict;
  }
  const std::uint64_t end = found ? found->row : history.end;
  const std::uint64_t row = first_clash(history.write, access, first, end, {});
  return row < end ? Conflict{row, history.write, true, true} : found;
}

void RowHistory::overwrite(Segments::iterator first, std::uint64_t end, const Access& access) {
  auto next = std::next(first);
  while (next != segments_.end() && next->first < end) next = segments_.erase(next);
  Segment& segment = first->second;
  segment.end = end;
  segment.write = access;
  segment.reads = {};
  segment.strided.clear();
}

std::optional<Conflict> RowHistory::write(std::uint64_t begin, std::uint64_t end,
                                          const Access& access) {
  const auto first = cover(begin, end);
  for (auto it = first; it != segments_.end() && it->first < end; ++it) {
    if (auto conflict = conflict_of_write(*it, access)) return conflict;
  }
  overwrite(first, end, access);
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

bool RowHistory::is_over(const Segments::value_type& segment, Cycle frontier) {
  const std::uint64_t last_row = segment.second.end - 1;
  const auto over = [&](const Access& access) {
    return !access.happened() || access.last(last_row) <= frontier;
  };
  return over(segment.second.write) && std::ranges::all_of(segment.second.reads, over) &&
         std::ranges::all_of(segment.second.strided,
                             [&](const StridedRead& read) { return over(read.access); });
}

void RowHistory::forget_before(Cycle frontier) {
  std::erase_if(segments_, [&](const auto& segment) { return is_over(segment, frontier); });
  last_ = segments_.end();
  forget_at_ = std::max(kFirstForgetting, 2 * segments_.size());
}

void RowHistory::forget_sometimes(Cycle frontier) {
  if (segments_.size() >= forget_at_) forget_before(frontier);
}

void RowHistory::visit(StateVisitor& visitor, Access& access, std::uint64_t last_row,
                       Cycle frontier) {
  bool happened = access.happened();
  visitor.equal(happened);
  if (!happened) return;
  // The position in the program only tells instructions apart.
  visitor.moving(StateVisitor::Scale::kProgram, access.instruction, StateVisitor::kAllUnits);
  visitor.equal(access.group);
  visitor.equal(access.origin);
  visitor.cycle(access.begin, access.last(last_row) <= frontier);
  visitor.equal(access.length);
}

void RowHistory::visit(StateVisitor& visitor, Cycle frontier) {
  std::size_t size = segments_.size();
  visitor.equal(size);
  for (auto& [first, segment] : segments_) {
    std::uint64_t row = first;
    visitor.equal(row);
    visitor.equal(segment.end);
    visit(visitor, segment.write, segment.end - 1, frontier);
    for (Access& read : segment.reads) visit(visitor, read, segment.end - 1, frontier);
    std::size_t strided = segment.strided.size();
    visitor.equal(strided);
    for (StridedRead& read : segment.strided) {
      visitor.equal(read.reader);
      visitor.equal(read.rows.step);
      visitor.equal(read.rows.phase);
      visit(visitor, read.access, segment.end - 1, frontier);
    }
  }
}

}  // namespace weft
