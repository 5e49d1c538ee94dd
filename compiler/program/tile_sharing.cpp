#include "compiler/program/tile_sharing.h"

#include <algorithm>
#include <tuple>
#include <variant>

#include "sim/timing/array_timing.h"

namespace weft::compiler {

TileSharing::TileSharing(const MachineConfig& config, ListScheduler& next, std::size_t block)
    : config_(config), next_(next), block_(block), clock_(config) {}

void TileSharing::add(Entry entry) {
  if (std::holds_alternative<Fetch>(entry.operation)) {
    ++fetches_;
    last_fetch_ = nodes_.size();
  } else if (const auto* matmul = std::get_if<Matmul>(&entry.operation)) {
    if (matmul->next_weights) {
      // Tiles and their matmuls stay in one block.
      if (nodes_.size() >= block_ && fetches_ == takers_ + 1) {
        order_block(last_fetch_);
        fetches_ = 1;
        takers_ = 0;
        last_fetch_ = 0;
      }
      ++takers_;
    }
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
  if (find_tiles()) {
    order();
  } else {
    for (std::size_t i = 0; i < end; ++i) hand_on(static_cast<Number>(i));
  }
  nodes_.erase(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(end));
}

void TileSharing::hand_on(Number node) {
  Node& each = nodes_[node];
  if (each.entry) return next_.add(std::move(*each.entry));
  const Note& note = each.note;
  next_.after_writes(note.base, note.rows, note.planes, note.plane_rows, std::move(each.note.call));
}

/// Finds which matmuls use the same tile. False if none do, or if one uses the tile of an earlier
/// block.
bool TileSharing::find_tiles() {
  using Key = std::tuple<std::uint64_t, bool, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t, std::uint32_t, bool, std::uint32_t, Number>;
  std::map<Key, Number> known;
  std::deque<Number> fetched;
  bool shared = false;
  Number tile = kNone;
  for (Number i = 0; i < graph_->size(); ++i) {
    Node& node = nodes_[i];
    if (!node.entry) continue;
    if (const auto* fetch = std::get_if<Fetch>(&node.entry->operation)) {
      Key key{fetch->tile, false, 0, 0, 0, 0, 0, false, 0, kNone};
      if (fetch->buffer) {
        const BufferTile& rows = *fetch->buffer;
        // A tile of the buffer is another one once its rows have been written again.
        const Number written = graph_->before(i).empty() ? kNone : graph_->before(i).back();
        key = {0,
               true,
               rows.row,
               rows.rows,
               rows.lanes,
               rows.window.column,
               rows.window.plane,
               rows.transpose,
               rows.at,
               written};
      }
      const auto [found, is_new] = known.try_emplace(key, static_cast<Number>(tiles_.size()));
      if (is_new) tiles_.emplace_back();
      node.tile = found->second;
      tiles_[node.tile].fetches.push_back(i);
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

/// The candidate whose fold comes next.
OperationGraph::Number TileSharing::choose() {
  const Cycle push = ArrayTiming(config_).push();
  const auto start_of = [&](Number matmul) {
    const Node& node = nodes_[matmul];
    auto operation = std::get<Matmul>(node.entry->operation);
    operation.next_weights = node.tile != tile_;
    Cycle ready = node.ready;
    if (operation.next_weights) {
      ready = std::max(ready, nodes_[tiles_[node.tile].fetches.front()].ready + push);
    }
    return clock_.earliest(operation, ready);
  };
  Cycle first = std::numeric_limits<Cycle>::max();
  std::vector<Choice> choices;
  std::optional<Choice> kept;
  for (const Number matmul : candidates_) {
    const Choice choice{matmul, start_of(matmul)};
    const Node& node = nodes_[matmul];
    if (node.tile == tile_) {
      if (!kept || std::pair(choice.start, matmul) < std::pair(kept->start, kept->matmul)) {
        kept = choice;
      }
      continue;
    }
    if (nodes_[tiles_[node.tile].fetches.front()].waits > 0) continue;
    choices.push_back(choice);
    first = std::min(first, choice.start);
  }
  if (kept && (choices.empty() || kept->start <= first + push / 2)) return kept->matmul;
  for (Tile& tile : tiles_) tile.able = 0;
  for (const Choice& choice : choices) {
    if (choice.start <= first + push) ++tiles_[nodes_[choice.matmul].tile].able;
  }
  using Rank = std::tuple<int, std::size_t, std::uint32_t, Number>;
  std::optional<Rank> best;
  for (const Choice& choice : choices) {
    if (choice.start > first + push / 4) continue;
    const Number matmul = choice.matmul;
    const Tile& tile = tiles_[nodes_[matmul].tile];
    const std::uint32_t left = nodes_[nodes_[matmul].goal].left;
    Rank rank{0, 0, left, matmul};
    if (tile.able > 1) {
      std::get<1>(rank) = candidates_.size() - tile.able;
    } else {
      std::get<0>(rank) = is_shared_later(matmul) ? 2 : 1;
    }
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
  const Number node = own != kNone ? own : tiles_[nodes_[matmul].tile].fetches.front();
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
  Node& sum = nodes_[graph_->sum_of(number)];
  Cycle ready = node.ready;
  matmul.next_weights = node.tile != tile_;
  if (matmul.next_weights) {
    ready = std::max(ready, fetch(number));
    slots_.push_back(0);
  }
  tile_ = node.tile;
  const Number first = graph_->sum_of(number);
  const bool adds = first == number ? matmul.accumulate
                                    : std::get<Matmul>(nodes_[first].entry->operation).accumulate;
  matmul.accumulate = adds || sum.begun;
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
