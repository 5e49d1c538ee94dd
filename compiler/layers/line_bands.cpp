#include "compiler/layers/line_bands.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/layers/cut_rows.h"
#include "compiler/layers/touched_rows.h"
#include "compiler/layers/used_sheets.h"
#include "compiler/rows/ceil_div.h"

namespace weft::compiler {
namespace {

bool is_empty(const PositionRange& range) {
  return range.last <= range.first;
}

bool contains(const PositionRange& range, const PositionRange& other) {
  return range.first <= other.first && other.last <= range.last;
}

PositionRange range_of(const Touch& touch) {
  return {std::min(touch.first, touch.second), std::max(touch.first, touch.second) + 1};
}

/// The smallest range with both.
void include(std::optional<PositionRange>& all, const PositionRange& more) {
  all =
      all ? PositionRange{std::min(all->first, more.first), std::max(all->last, more.last)} : more;
}

PositionRange written_rows(const LayerBody& body) {
  std::optional<PositionRange> rows;
  const auto look = [&](std::size_t, const Touch& touch) { include(rows, range_of(touch)); };
  std::visit([&](const auto& layer) { for_each_write(layer, look); }, body);
  return *rows;
}

/// Layers [begin, end) of a segment.
struct Stack {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Cuts one stack after the other. Sheets keep their numbers: the first part of a sheet takes the
/// place of the whole, the others come after all sheets.
class Bands {
 public:
  Bands(PartedSegment whole, const LineBands& bands, bool cut_inputs)
      : whole_(std::move(whole)),
        bands_(bands),
        cut_inputs_(cut_inputs),
        latest_(whole_.sheets.size()),
        is_cut_(whole_.sheets.size(), false),
        keeps_halo_(whole_.sheets.size(), false) {
    result_.segment.sheets = whole_.segment.sheets;
    result_.sheets = whole_.sheets;
  }

  std::variant<PartedSegment, std::size_t> run() {
    for (std::size_t begin = 0; begin < layers().size();) {
      const Stack stack = stack_from(begin);
      begin = stack.end;
      if (count_of(stack.begin) == 1) {
        add(layers()[stack.begin], whole_.layers[stack.begin]);
        continue;
      }
      for (std::size_t i = stack.begin; i < stack.end; ++i) {
        if (count_of(i) > most_bands(layers()[i].body)) return whole_.layers[i].layer;
      }
      find_cut_sheets(stack);
      done_.assign(layers().size(), 0);
      for (std::int64_t band = 0; band < count_of(stack.begin); ++band) add_band(stack, band);
    }
    return std::move(result_);
  }

 private:
  /// The lines of a cut sheet that the latest band has.
  struct Lines {
    std::size_t part = 0;  // the sheet's number
    PositionRange rows;    // of the whole sheet
  };

  const std::vector<Layer>& layers() const { return whole_.segment.layers; }
  std::int64_t count_of(std::size_t index) const {
    return bands_.counts[whole_.layers[index].layer];
  }

  /// Layers with as many bands, up to the last layer of the network: after that come other images,
  /// perhaps of another round.
  Stack stack_from(std::size_t begin) const {
    const std::size_t last = bands_.counts.size() - 1;
    std::size_t end = begin + 1;
    while (end < layers().size() && count_of(begin) > 1 && count_of(end) == count_of(begin) &&
           whole_.layers[end - 1].layer < last &&
           whole_.layers[end].layer >= whole_.layers[end - 1].layer) {
      ++end;
    }
    return {begin, end};
  }

  /// A sheet is cut if only the stack uses it, and layers write all of it before others read it.
  void find_cut_sheets(const Stack& stack) {
    std::vector<bool> written(is_cut_.size(), false);
    std::vector<bool> read(is_cut_.size(), false);
    std::vector<bool> fails(is_cut_.size(), false);
    keeps_halo_.assign(is_cut_.size(), true);
    for (std::size_t i = 0; i < layers().size(); ++i) {
      const LayerBody& body = layers()[i].body;
      const bool inside = stack.begin <= i && i < stack.end;
      if (!inside) {
        for_each_sheet(body, [&](std::size_t id) { fails[id] = true; });
        continue;
      }
      for_each_input_sheet(body, [&](std::size_t id) { read[id] = true; });
      const std::size_t out = result_view(body).sheet;
      const PositionRange rows = written_rows(body);
      const bool all = rows.first == 0 && rows.last == whole_.segment.sheets[out].size.rows;
      if (read[out] || !all) fails[out] = true;
      written[out] = true;
      // All layers that write a sheet write the same rows of it.
      keeps_halo_[out] = keeps_halo_[out] && bands_.keeps_halo[whole_.layers[i].layer];
    }
    for (std::size_t id = 0; id < is_cut_.size(); ++id) {
      const Sheet& sheet = whole_.segment.sheets[id];
      const bool stays_inside =
          sheet.from_host ? cut_inputs_ && !sheet.make && read[id]
                          : written[id] && read[id] && !sheet.wide && sheet.results.empty();
      is_cut_[id] = stays_inside && !fails[id];
      if (is_cut_[id]) latest_[id].reset();
    }
  }

  /// Lines may be cut between multiples of these rows.
  std::int64_t rows_of_lines(const Stack& stack, std::size_t sheet) const {
    std::int64_t rows = 1;
    for (std::size_t i = stack.begin; i < stack.end; ++i) {
      const LayerBody& body = layers()[i].body;
      if (result_view(body).sheet == sheet) rows = std::lcm(rows, line_rows(body));
    }
    return rows;
  }

  /// What one band needs: rows of each cut sheet, and rows that each layer of the stack computes.
  struct Needs {
    std::vector<std::optional<PositionRange>> sheets;
    std::vector<PositionRange> layers;
  };

  /// From the last layer back: what layers compute follows from what later ones read.
  Needs needs_of(const Stack& stack, std::int64_t band) {
    Needs needs{std::vector<std::optional<PositionRange>>(is_cut_.size()),
                std::vector<PositionRange>(stack.end - stack.begin)};
    for (std::size_t i = stack.end; i-- > stack.begin;) {
      const LayerBody& body = layers()[i].body;
      const std::size_t out = result_view(body).sheet;
      auto& need = needs.sheets[out];
      PositionRange& rows = needs.layers[i - stack.begin];
      if (is_cut_[out]) leave_no_gap(out, band + 1 == count_of(i), need);
      rows = is_cut_[out] ? of_cut_sheet(stack, out, need) : of_whole_sheet(i, band, need);
      if (is_empty(rows)) continue;
      const LayerBody part = *cut_to_rows(body, rows);
      const auto look = [&](std::size_t id, const Touch& touch) {
        include(needs.sheets[id], range_of(touch));
      };
      std::visit([&](const auto& layer) { for_each_read(layer, look); }, part);
    }
    return needs;
  }

  /// Each band goes on where the one before ended, and the last goes to the end, also over lines
  /// that no layer reads: a value is whole, in bands or not.
  void leave_no_gap(std::size_t sheet, bool is_last, std::optional<PositionRange>& need) const {
    const auto& latest = latest_[sheet];
    const std::int64_t begin = latest ? latest->rows.last : 0;
    const std::int64_t end =
        is_last ? whole_.segment.sheets[sheet].size.rows : (need ? need->last : begin);
    if (begin < end) include(need, {begin, end});
  }

  PositionRange of_cut_sheet(const Stack& stack, std::size_t sheet,
                             std::optional<PositionRange>& need) const {
    if (!need) return {};
    const std::int64_t line = rows_of_lines(stack, sheet);
    need = PositionRange{need->first / line * line, ceil_div(need->last, line) * line};
    const auto& latest = latest_[sheet];
    if (latest && contains(latest->rows, *need)) return {};
    const bool keeps = keeps_halo_[sheet] && latest && latest->rows.first <= need->first;
    return {keeps ? std::max(need->first, latest->rows.last) : need->first, need->last};
  }

  /// A whole sheet keeps the lines of all bands, so each goes on where the one before ended.
  PositionRange of_whole_sheet(std::size_t layer, std::int64_t band,
                               const std::optional<PositionRange>& need) {
    const LayerBody& body = layers()[layer].body;
    const PositionRange all = written_rows(body);
    const std::int64_t line = line_rows(body);
    const std::int64_t lines = (all.last - all.first) / line;
    std::int64_t end = all.first + ceil_div(lines * (band + 1), count_of(layer)) * line;
    if (need) {
      const std::int64_t wanted = all.first + ceil_div(need->last - all.first, line) * line;
      end = std::max(end, std::min(wanted, all.last));
    }
    const std::int64_t begin = std::max(all.first, done_[layer]);
    done_[layer] = std::max(begin, end);
    return {begin, done_[layer]};
  }

  void add_band(const Stack& stack, std::int64_t band) {
    const Needs needs = needs_of(stack, band);
    for (std::size_t id = 0; id < is_cut_.size(); ++id) {
      if (is_cut_[id] && whole_.segment.sheets[id].from_host) begin_part(id, needs.sheets[id]);
    }
    for (std::size_t i = stack.begin; i < stack.end; ++i) {
      const PositionRange& rows = needs.layers[i - stack.begin];
      if (is_empty(rows)) continue;
      LayerPart part = whole_.layers[i];
      part.band = band;
      part.bands = count_of(i);
      part.cuts_rows = true;
      Layer layer = layers()[i];
      layer.body = *cut_to_rows(layer.body, rows);
      const std::size_t out = result_view(layer.body).sheet;
      const std::int64_t before = whole_.sheets[out].first_row;
      part.rows = {before + rows.first, before + rows.last};
      if (is_cut_[out]) {
        const auto old = latest_[out];
        if (begin_part(out, needs.sheets[out]) && old) copy_halo(i, *old, part);
      }
      for_each_view(layer.body, [&](View& view) {
        if (!is_cut_[view.sheet]) return;
        const Lines& lines = *latest_[view.sheet];
        view.sheet = lines.part;
        view.row -= lines.rows.first;
      });
      add(std::move(layer), part);
    }
  }

  /// Makes a part of a cut sheet for these rows, unless the latest one has them.
  bool begin_part(std::size_t id, const std::optional<PositionRange>& rows) {
    if (!rows || (latest_[id] && contains(latest_[id]->rows, *rows))) return false;
    const bool first = !latest_[id];
    const std::size_t number = first ? id : result_.sheets.size();
    Sheet sheet = whole_.segment.sheets[id];
    sheet.size.rows = rows->last - rows->first;
    SheetPart part = whole_.sheets[id];
    part.first_row += rows->first;
    if (!sheet.from_host) part.in_tensor_of = number;
    if (first) {
      result_.segment.sheets[id] = std::move(sheet);
      result_.sheets[id] = part;
    } else {
      result_.segment.sheets.push_back(std::move(sheet));
      result_.sheets.push_back(part);
    }
    latest_[id] = Lines{number, *rows};
    return true;
  }

  /// Copies the rows that the sheet's new part shares with the one before and that the layer does
  /// not compute.
  void copy_halo(std::size_t index, const Lines& from, LayerPart part) {
    const std::size_t out = result_view(layers()[index].body).sheet;
    const Lines& to = *latest_[out];
    const std::int64_t computed = part.rows.first - whole_.sheets[out].first_row;
    if (computed <= to.rows.first) return;
    ElementwiseLayer copy;
    copy.walk.x.input = copy.walk.x.output = computed - to.rows.first;
    copy.channels = whole_.segment.sheets[out].size.channels;
    copy.a.sheet = from.part;
    copy.a.row = to.rows.first - from.rows.first;
    copy.out.sheet = to.part;
    part.body = kHaloBody;
    part.is_last = false;
    Layer layer = layers()[index];
    layer.body = std::move(copy);
    add(std::move(layer), part);
  }

  void add(Layer layer, const LayerPart& part) {
    for_each_sheet(layer.body, [&](std::size_t sheet) {
      result_.segment.sheets[sheet].last_use = result_.layers.size();
    });
    result_.layers.push_back(part);
    result_.segment.layers.push_back(std::move(layer));
  }

  const PartedSegment whole_;
  const LineBands& bands_;
  const bool cut_inputs_;
  std::vector<std::optional<Lines>> latest_;  // of each sheet of `whole_`
  std::vector<bool> is_cut_;                  // of the stack at work
  std::vector<bool> keeps_halo_;              // likewise
  std::vector<std::int64_t> done_;            // of each layer: the row after those of a whole sheet
  PartedSegment result_;
};

}  // namespace

std::int64_t most_bands(const LayerBody& body) {
  const std::int64_t line = line_rows(body);
  if (line == 0) return 1;
  const PositionRange rows = written_rows(body);
  return (rows.last - rows.first) / line;
}

std::variant<PartedSegment, std::size_t> in_bands(PartedSegment parts, const LineBands& bands,
                                                  bool cut_inputs) {
  if (bands.counts.empty()) return parts;
  return Bands(std::move(parts), bands, cut_inputs).run();
}

PartedSegment in_parts(const Segment& segment, const Schedule& schedule) {
  PartedSegment parts = in_forms(segment, schedule.forms);
  const ImageGroups& groups = schedule.groups;
  if (!groups.sizes.empty()) {
    parts = ImageDivision(std::move(parts), groups.images).in_groups(groups);
  }
  return std::get<PartedSegment>(in_bands(std::move(parts), schedule.bands, groups.cut_inputs));
}

}  // namespace weft::compiler
