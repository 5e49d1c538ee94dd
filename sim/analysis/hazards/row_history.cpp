#include "sim/analysis/hazards/row_history.h"

#include <algorithm>
#include <iterator>

namespace weft {

void RowHistory::split(std::uint64_t row) {
  auto next = runs_.upper_bound(row);
  if (next == runs_.begin()) return;
  auto run = std::prev(next);
  if (run->first == row || run->second.end <= row) return;
  HistoryRange tail = run->second;
  run->second.end = row;
  runs_.emplace_hint(next, row, tail);
}

void RowHistory::fill(std::uint64_t begin, std::uint64_t end) {
  auto next = runs_.lower_bound(begin);
  while (begin < end) {
    if (next != runs_.end() && next->first == begin) {
      begin = next->second.end;
      ++next;
      continue;
    }
    const std::uint64_t gap_end = next == runs_.end() ? end : std::min(end, next->first);
    HistoryRange fresh;
    fresh.end = gap_end;
    runs_.emplace_hint(next, begin, fresh);
    begin = gap_end;
  }
}

RowHistory::HistoryRanges::iterator RowHistory::cover(std::uint64_t begin, std::uint64_t end) {
  // Programs reuse the same buffers, so most ranges are one known run. Strided convolutions
  // visit neighboring runs in order, so the runs after the last one are tried first.
  auto near = last_;
  for (int i = 0; i < kNear && near != runs_.end(); ++i, ++near) {
    if (near->first == begin && near->second.end == end) return last_ = near;
  }
  if (auto known = runs_.find(begin); known != runs_.end() && known->second.end == end) {
    return last_ = known;
  }
  split(begin);
  split(end);
  fill(begin, end);
  return last_ = runs_.find(begin);
}

std::optional<Conflict> RowHistory::conflict_of_read(const HistoryRanges::value_type& run,
                                                     const Access& access,
                                                     const RowClass& rows) const {
  const std::uint64_t first = run.first;
  const auto& history = run.second;
  if (!history.write.happened()) {
    if (initialized_) return std::nullopt;
    return Conflict{rows.first_from(first), history.write, true, false};
  }
  const auto row = first_conflict(history.write, access, first, history.end, rows);
  if (row == history.end) return std::nullopt;
  return Conflict{row, history.write, true, false};
}

void RowHistory::keep_read(HistoryRanges::iterator run, const Access& access, Unit reader) {
  std::erase_if(run->second.strided, [&](const StridedRead& old) {
    return old.reader == reader && old.access.instruction != access.instruction;
  });
  Access& kept = run->second.reads[reader];
  if (kept.instruction != access.instruction) {
    kept = access;
    return;
  }
  const auto is_later = [&](std::uint64_t row) { return access.last(row) > kept.last(row); };
  const bool later = is_later(run->first);
  std::uint64_t end = run->first + 1;
  while (end < run->second.end && is_later(end) == later) ++end;
  split(end);
  if (later) kept = access;
}

// If an instruction reads one class of rows several times, the latest read is kept. The reads
// advance at the same rate, so the latest one for one row is the latest for all.
void RowHistory::keep_strided(HistoryRange& run, const Access& access, Unit reader,
                              const RowClass& rows) {
  bool later = true;
  std::erase_if(run.strided, [&](const StridedRead& old) {
    if (old.reader != reader) return false;
    if (old.access.instruction != access.instruction) return rows.covers(old.rows);
    if (old.rows != rows) return false;
    const std::uint64_t row = std::max(access.origin, old.access.origin);
    later = access.last(row) > old.access.last(row);
    return later;
  });
  if (later) run.strided.push_back({reader, rows, access});
}

std::optional<Conflict> RowHistory::read(std::uint64_t begin, std::uint64_t end,
                                         const Access& access, Unit reader, const RowClass& rows) {
  for (auto it = cover(begin, end); it != runs_.end() && it->first < end; ++it) {
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
  for (auto it = cover(begin, end); it != runs_.end() && it->first < end; ++it) {
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

std::optional<Conflict> RowHistory::conflict_with_reads(const HistoryRanges::value_type& run,
                                                        const Access& access, Unit reader) const {
  const std::uint64_t first = run.first;
  const auto& history = run.second;
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

std::optional<Conflict> RowHistory::conflict_of_write(const HistoryRanges::value_type& run,
                                                      const Access& access) const {
  const std::uint64_t first = run.first;
  const auto& history = run.second;
  std::optional<Conflict> found;
  for (const Unit reader : kUnits) {
    // The common case: few units read the same rows.
    if (!run.second.reads[reader].happened() && run.second.strided.empty()) continue;
    const auto conflict = conflict_with_reads(run, access, reader);
    if (conflict && (!found || conflict->row < found->row)) found = conflict;
  }
  const std::uint64_t end = found ? found->row : history.end;
  const std::uint64_t row = first_clash(history.write, access, first, end, {});
  return row < end ? Conflict{row, history.write, true, true} : found;
}

void RowHistory::overwrite(HistoryRanges::iterator first, std::uint64_t end, const Access& access) {
  auto next = std::next(first);
  while (next != runs_.end() && next->first < end) next = runs_.erase(next);
  HistoryRange& run = first->second;
  run.end = end;
  run.write = access;
  run.reads = {};
  run.strided.clear();
}

std::optional<Conflict> RowHistory::write(std::uint64_t begin, std::uint64_t end,
                                          const Access& access) {
  const auto first = cover(begin, end);
  for (auto it = first; it != runs_.end() && it->first < end; ++it) {
    if (auto conflict = conflict_of_write(*it, access)) return conflict;
  }
  overwrite(first, end, access);
  return std::nullopt;
}

std::optional<std::uint64_t> RowHistory::first_unwritten(std::uint64_t begin,
                                                         std::uint64_t end) const {
  auto it = runs_.upper_bound(begin);
  if (it != runs_.begin()) --it;
  for (; it != runs_.end() && begin < end; ++it) {
    if (it->second.end <= begin) continue;
    if (it->first > begin || !it->second.write.happened()) return begin;
    begin = it->second.end;
  }
  return begin < end ? std::optional(begin) : std::nullopt;
}

bool RowHistory::is_over(const HistoryRanges::value_type& run, Cycle frontier) {
  const std::uint64_t last_row = run.second.end - 1;
  const auto over = [&](const Access& access) {
    return !access.happened() || access.last(last_row) <= frontier;
  };
  return over(run.second.write) && std::ranges::all_of(run.second.reads, over) &&
         std::ranges::all_of(run.second.strided,
                             [&](const StridedRead& read) { return over(read.access); });
}

void RowHistory::forget_before(Cycle frontier) {
  std::erase_if(runs_, [&](const auto& run) { return is_over(run, frontier); });
  last_ = runs_.end();
  forget_at_ = std::max(kFirstForgetting, 2 * runs_.size());
}

void RowHistory::forget_sometimes(Cycle frontier) {
  if (runs_.size() >= forget_at_) forget_before(frontier);
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
  std::size_t size = runs_.size();
  visitor.equal(size);
  for (auto& [first, run] : runs_) {
    std::uint64_t row = first;
    visitor.equal(row);
    visitor.equal(run.end);
    visit(visitor, run.write, run.end - 1, frontier);
    for (Access& read : run.reads) visit(visitor, read, run.end - 1, frontier);
    std::size_t strided = run.strided.size();
    visitor.equal(strided);
    for (StridedRead& read : run.strided) {
      visitor.equal(read.reader);
      visitor.equal(read.rows.step);
      visitor.equal(read.rows.phase);
      visit(visitor, read.access, run.end - 1, frontier);
    }
  }
}

}  // namespace weft
