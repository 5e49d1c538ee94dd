#include "compiler/program/order/tile_sharing.h"

#include <algorithm>
#include <tuple>
#include <variant>

#include "sim/timing/array_timing.h"

namespace weft::compiler {

TileSharing::TileSharing(const MachineConfig& config, ListScheduler& next, std::size_t block)
    : config_(config),
      next_(next),
      block_(block),
      push_(ArrayTiming(config).push()),
      clock_(config) {}

void TileSharing::add(Entry entry) {
  // Without tiles there is nothing to share, and no end to the block.
  if (nodes_.size() >= 4 * block_ && fetches_ == takers_) {
    hand_on_as_added(nodes_.size());
    fetches_ = takers_ = 0;
  }
  if (std::holds_alternative<Fetch>(entry.operation)) {
    ++fetches_;
    last_fetch_ = nodes_.size();
    matmul_follows_ = false;
  } else if (const auto* matmul = std::get_if<Matmul>(&entry.operation)) {
    // A tile and all its matmuls stay in one block.
    if (matmul->next_weights && nodes_.size() >= block_ && fetches_ == takers_ + 1 &&
        !matmul_follows_) {
      order_block(last_fetch_);
      fetches_ = 1;
      takers_ = 0;
      last_fetch_ = 0;
    }
    if (matmul->next_weights) ++takers_;
    matmul_follows_ = true;
  }
  nodes_.push_back({std::move(entry), {}});
}

void TileSharing::after_writes(std::uint64_t base, std::uint64_t rows, std::uint64_t planes,
                               std::uint64_t plane_rows, std::function<void()> note) {
  nodes_.push_back({std::nullopt, {base, rows, planes, plane_rows, std::move(note)}});
}

void TileSharing::finish() {
  order_block(nodes_.size());
  next_.finish();
}

/// Hands on the first `end` nodes.
void TileSharing::order_block(std::size_t end) {
  graph_.emplace(config_, OperationGraph::ArrayOrder::kFree);
  tiles_.clear();
  for (std::size_t i = 0; i < end; ++i) {
    const Node& node = nodes_[i];
    if (node.entry) {
      graph_->add(node.entry->operation);
    } else {
      graph_->add_reader(node.note.base, node.note.rows, node.note.planes, node.note.plane_rows);
    }
  }
  if (!find_tiles()) return hand_on_as_added(end);
  order();
  forget(end);
}

void TileSharing::hand_on_as_added(std::size_t end) {
  for (std::size_t i = 0; i < end; ++i) hand_on(static_cast<Number>(i));
  forget(end);
}

void TileSharing::forget(std::size_t end) {
  nodes_.erase(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(end));
}

void TileSharing::hand_on(Number node) {
  Node& each = nodes_[node];
  if (each.entry) return next_.add(std::move(*each.entry));
  const Note& note = each.note;
  next_.after_writes(note.base, note.rows, note.planes, note.plane_rows, std::move(each.note.call));
}

/// Finds which matmuls use the same tile. False if no two do, or if one uses the tile of an earlier
/// block.
bool TileSharing::find_tiles() {
  std::map<std::pair<bool, std::uint64_t>, std::vector<Number>> known;  // tiles, by their place
  std::deque<Number> fetched;                                           // and not taken
  bool shared = false;
  Number tile = kNone;  // in the array
  for (Number i = 0; i < graph_->size(); ++i) {
    Node& node = nodes_[i];
    if (!node.entry) continue;
    if (const auto* fetch = std::get_if<Fetch>(&node.entry->operation)) {
      const std::uint64_t place = fetch->buffer ? fetch->buffer->row : fetch->tile;
      node.tile = tile_of(i, known[{fetch->buffer.has_value(), place}]);
      fetched.push_back(i);
    } else if (const auto* matmul = std::get_if<Matmul>(&node.entry->operation)) {
      if (matmul->next_weights) {
        if (fetched.empty()) return false;
        node.fetch = fetched.front();
        tile = nodes_[node.fetch].tile;
        fetched.pop_front();
      }
      if (tile == kNone) return false;
      shared = shared || !tiles_[tile].matmuls.empty();
      node.tile = tile;
      tiles_[tile].matmuls.push_back(i);
    }
  }
  return shared && fetched.empty() && tiles_stay();
}

/// The tile that a fetch brings: one of `candidates`, or a new one. A tile of the buffer is another
/// one once its rows have been written again.
OperationGraph::Number TileSharing::tile_of(Number fetch, std::vector<Number>& candidates) {
  const auto last_write = [&](Number node) {
    return graph_->before(node).empty() ? kNone : graph_->before(node).back();
  };
  for (const Number tile : candidates) {
    const Number other = tiles_[tile].fetches.front();
    if (nodes_[other].entry->operation != nodes_[fetch].entry->operation) continue;
    if (last_write(other) != last_write(fetch)) continue;
    tiles_[tile].fetches.push_back(fetch);
    return tile;
  }
  candidates.push_back(static_cast<Number>(tiles_.size()));
  tiles_.push_back({{fetch}, {}, 0});
  return candidates.back();
}

/// Whether the rows of every tile are written again only after all matmuls that use it.
bool TileSharing::tiles_stay() const {
  for (Number i = 0; i < graph_->size(); ++i) {
    for (const Number before : graph_->before(i)) {
      const Node& node = nodes_[before];
      if (!node.entry || !std::holds_alternative<Fetch>(node.entry->operation)) continue;
      if (tiles_[node.tile].matmuls.back() > i) return false;
    }
  }
  return true;
}

std::optional<Unit> TileSharing::unit_of(const Node& node) {
  if (!node.entry) return std::nullopt;
  return weft::unit_of(node.entry->operation);
}

void TileSharing::order() {
  const auto size = static_cast<Number>(graph_->size());
  successors_.find(*graph_);
  find_goals();
  seen_.assign(size, kNone);
  depends_.clear();
  tile_ = kNone;
  std::size_t matmuls = 0;
  for (Number i = 0; i < size; ++i) {
    Node& node = nodes_[i];
    node.waits = static_cast<std::uint32_t>(graph_->before(i).size());
    if (!node.entry) continue;
    const Unit unit = weft::unit_of(node.entry->operation);
    if (unit == Unit::kMatmul) ++matmuls;
    if (unit == Unit::kLoad || unit == Unit::kStore) queues_[unit].push_back(i);
  }
  for (Number i = 0; i < size; ++i) {
    if (nodes_[i].waits == 0) release(i);
  }
  for (; matmuls > 0; --matmuls) {
    hand_on_others();
    hand_on_matmul(choose());
  }
  hand_on_others();
}

/// The goal of a matmul is the first matmul that needs its sum, or itself if none does.
void TileSharing::find_goals() {
  for (auto i = static_cast<Number>(graph_->size()); i-- > 0;) {
    Node& node = nodes_[i];
    const std::optional<Unit> unit = unit_of(node);
    if (unit != Unit::kVector && unit != Unit::kMatmul) continue;
    Number goal = kNone;
    for (const Number after : successors_.of(i)) {
      goal = std::min(goal, unit_of(nodes_[after]) == Unit::kMatmul ? after : nodes_[after].goal);
    }
    node.goal = goal;
  }
  for (Number i = 0; i < graph_->size(); ++i) {
    if (unit_of(nodes_[i]) != Unit::kMatmul) continue;
    Number& goal = nodes_[i].goal;
    if (goal == kNone) goal = i;
    ++nodes_[goal].left;
  }
}

/// Hands on everything that does not wait for the array.
void TileSharing::hand_on_others() {
  bool any = true;
  while (any) {
    any = hand_on_head(Unit::kLoad);
    any = hand_on_head(Unit::kStore) || any;
    while (!others_.empty()) {
      const auto [ready, node] = others_.top();
      others_.pop();
      Cycle end = ready;
      if (nodes_[node].entry) {
        const Operation& operation = nodes_[node].entry->operation;
        end = clock_.run(operation, std::max(ready, clock_.free(Unit::kVector)));
      }
      hand_on(node);
      finish_node(node, end);
      any = true;
    }
  }
}

bool TileSharing::hand_on_head(Unit unit) {
  auto& queue = queues_[unit];
  if (queue.empty() || nodes_[queue.front()].waits > 0) return false;
  const Number node = queue.front();
  queue.pop_front();
  const Operation& operation = nodes_[node].entry->operation;
  const Cycle ready = clock_.run(operation, clock_.earliest(operation, nodes_[node].ready));
  hand_on(node);
  finish_node(node, ready);
  return true;
}

/// The cycle in which a candidate could start.
Cycle TileSharing::start_of(Number matmul) const {
  const Node& node = nodes_[matmul];
  auto operation = std::get<Matmul>(node.entry->operation);
  operation.next_weights = node.tile != tile_;
  Cycle ready = node.ready;
  if (operation.next_weights) ready = std::max(ready, nodes_[fetch_of(node.tile)].ready + push_);
  return clock_.earliest(operation, ready);
}

/// The candidate whose fold comes next.
OperationGraph::Number TileSharing::choose() {
  std::optional<Choice> kept;  // with the tile that the array has
  std::vector<Choice> others;
  Cycle first = std::numeric_limits<Cycle>::max();
  for (const Number matmul : candidates_) {
    const Choice choice{start_of(matmul), matmul};
    const Number tile = nodes_[matmul].tile;
    if (tile == tile_) {
      if (!kept || choice < *kept) kept = choice;
    } else if (nodes_[fetch_of(tile)].waits == 0) {
      others.push_back(choice);
      first = std::min(first, choice.start);
    }
  }
  // While the array waits for it, the next tile is pushed.
  if (kept && (others.empty() || kept->start <= first + push_ / 2)) return kept->matmul;
  return first_by_rank(others, first);
}

/// Of the candidates that can start soon, the first one. `first` is when one of them can start.
OperationGraph::Number TileSharing::first_by_rank(const std::vector<Choice>& choices, Cycle first) {
  for (Tile& tile : tiles_) tile.able = 0;
  for (const Choice& choice : choices) {
    if (choice.start <= first + push_) ++tiles_[nodes_[choice.matmul].tile].able;
  }
  enum Class { kSharedNow, kAlone, kSharedLater };
  using Rank = std::tuple<Class, std::size_t, std::uint32_t, Number>;
  std::optional<Rank> best;
  for (const Choice& choice : choices) {
    if (choice.start > first + push_ / 4) continue;
    const Node& node = nodes_[choice.matmul];
    const std::size_t able = tiles_[node.tile].able;
    const Class kind = able > 1                         ? kSharedNow
                       : is_shared_later(choice.matmul) ? kSharedLater
                                                        : kAlone;
    const Rank rank{kind, choices.size() - able, nodes_[node.goal].left, choice.matmul};
    if (!best || rank < *best) best = rank;
  }
  return std::get<3>(best.value());
}

/// Whether another fold of the same tile may come with this one, if this one waits.
bool TileSharing::is_shared_later(Number matmul) {
  for (const Number other : tiles_[nodes_[matmul].tile].matmuls) {
    if (other > matmul) return !depends(other, matmul);
  }
  return false;
}

bool TileSharing::depends(Number later, Number earlier) {
  const auto [known, is_new] = depends_.try_emplace({later, earlier}, false);
  if (!is_new) return known->second;
  const auto search = static_cast<Number>(depends_.size());
  std::vector<Number> open = {later};
  while (!open.empty() && !known->second) {
    const Number node = open.back();
    open.pop_back();
    for (const Number before : graph_->before(node)) {
      if (before == earlier) known->second = true;
      if (before <= earlier || seen_[before] == search) continue;
      seen_[before] = search;
      open.push_back(before);
    }
  }
  return known->second;
}

/// Fetches the tile of a matmul. Returns the cycle in which the array could begin with its rows.
Cycle TileSharing::fetch(Number matmul) {
  const Number own = nodes_[matmul].fetch;
  const Number node = own != kNone ? own : fetch_of(nodes_[matmul].tile);
  const Entry& entry = *nodes_[node].entry;
  Cycle ready = nodes_[node].ready;
  if (slots_.size() >= config_.weight_fifo_tiles) {
    ready = std::max(ready, slots_.front());
    slots_.pop_front();
  }
  const Cycle start = clock_.earliest(entry.operation, ready);
  next_.add(entry);
  return clock_.run(entry.operation, start);
}

void TileSharing::hand_on_matmul(Number number) {
  std::erase(candidates_, number);
  Node& node = nodes_[number];
  auto& matmul = std::get<Matmul>(node.entry->operation);
  Cycle ready = node.ready;
  matmul.next_weights = node.tile != tile_;
  if (matmul.next_weights) {
    ready = std::max(ready, fetch(number));
    slots_.push_back(0);
  }
  tile_ = node.tile;
  // The first one of a sum overwrites, if the program's first one does.
  Node& sum = nodes_[graph_->sum_of(number)];
  matmul.accumulate = sum.begun || std::get<Matmul>(sum.entry->operation).accumulate;
  sum.begun = true;
  --nodes_[node.goal].left;
  const Cycle end = clock_.run(matmul, clock_.earliest(matmul, ready));
  if (!slots_.empty()) slots_.back() = end;
  next_.add(*node.entry);
  finish_node(number, end);
  Tile& tile = tiles_[node.tile];
  std::erase(tile.matmuls, number);
  if (!tile.matmuls.empty()) return;
  for (const Number each : tile.fetches) finish_node(each, end);
}

void TileSharing::finish_node(Number node, Cycle ready) {
  for (const Number after : successors_.of(node)) {
    Node& next = nodes_[after];
    next.ready = std::max(next.ready, ready);
    if (--next.waits == 0) release(after);
  }
}

void TileSharing::release(Number node) {
  const Node& each = nodes_[node];
  if (!each.entry) return others_.emplace(each.ready, node), void();
  switch (weft::unit_of(each.entry->operation)) {
    case Unit::kVector:
      others_.emplace(each.ready, node);
      break;
    case Unit::kMatmul:
      candidates_.push_back(node);
      break;
    default:
      break;
  }
}

}  // namespace weft::compiler
