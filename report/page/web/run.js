// The run that all parts of the page share: the matmul instructions, with the cycles in which their
// rows enter, and the current cycle.
'use strict';

(function (weft) {
  const {data} = weft;
  const kMatmulUnit = 'matmul';

  // --- Matmuls ---------------------------------------------------------------------------------

  /** The matmul instructions in program order, which is also the order of their starts. */
  function matmuls_of(timeline) {
    const out = [];
    if (!timeline) return out;
    const {instructions: all, units} = timeline;
    const unit = units.indexOf(kMatmulUnit);
    const machine = data.report.machine;
    const drain = machine.rows + machine.cols - 1;  // R+C-1 cycles from a row to its sums
    for (let i = 0; i < all.unit.length; ++i) {
      if (all.unit[i] !== unit) continue;
      const begin = all.started[i];
      out.push({instruction: i, begin, end: all.retired[i] - drain + 1, map: all.map[i],
        chunk: all.chunk[i], k_tile: all.k_tile[i], n_tile: all.n_tile[i]});
    }
    return out;
  }

  weft.matmuls = matmuls_of(data.timeline);
  const begins = weft.matmuls.map((matmul) => matmul.begin);

  /** True if the page lists the instructions that run in `cycle`. */
  weft.is_listed = (cycle) => !data.timeline || cycle < data.timeline.window[1];

  /** The index of the matmul whose rows enter in `cycle`, or of the last one before; -1 if none. */
  weft.matmul_at = (cycle) => weft.lower_bound(begins, cycle + 1) - 1;

  /** The useful size {k, n} of a matmul's tile, without padding; the whole array without a map. */
  weft.tile_size = function (matmul) {
    const map = matmul && matmul.map >= 0 ? data.tiles[matmul.map] : null;
    if (!map) return {k: Infinity, n: Infinity};
    return {k: map.k_edges[matmul.k_tile + 1] - map.k_edges[matmul.k_tile],
      n: map.n_edges[matmul.n_tile + 1] - map.n_edges[matmul.n_tile]};
  };

  // --- The current cycle -----------------------------------------------------------------------

  weft.total = data.timeline ? data.timeline.total : data.array ? data.array.end : 0;
  weft.last_cycle = Math.max(0, weft.total - 1);
  weft.cycle = 0;
  weft.recording = data.array ? new weft.ArrayRecording(data.array) : null;

  // A layer's cycles run from the end of the previous layer to its own end.
  const layers = (data.layers || []).filter((layer) => layer.cycles > 0)
    .sort((a, b) => a.begin - b.begin);
  const layer_begins = layers.map((layer) => layer.begin);

  /** The layer of `cycle`; undefined if there are no layers. */
  weft.layer_at = (cycle) => layers[weft.lower_bound(layer_begins, cycle + 1) - 1];

  /** The tile map of the array's work in the current cycle, or -1. */
  function map_now() {
    const matmul = weft.is_listed(weft.cycle) ? weft.matmuls[weft.matmul_at(weft.cycle)] : null;
    if (matmul && weft.cycle < matmul.end) return matmul.map;
    const layer = weft.layer_at(weft.cycle);
    return layer ? layer.tile_map ?? -1 : -1;
  }

  /** Makes `cycle` the current one, limited to the run. The tile map follows. */
  weft.go_to = function (cycle) {
    const wanted = Number.isNaN(cycle) ? weft.cycle : Math.trunc(cycle);
    weft.cycle = Math.max(0, Math.min(weft.last_cycle, wanted));
    const map = map_now();
    if (map >= 0 && map !== weft.map) weft.select_map(map);
    weft.tell('cycle', weft.cycle);
  };

  /** Registers, ports and accumulator write of a recorded cycle, as bit patterns. */
  weft.state_at = function (cycle) {
    if (!weft.recording || cycle < 0 || cycle >= weft.recording.end) return null;
    return weft.recording.state_at(cycle);
  };

  /** Goes to the first row of the next (+1) or the previous (-1) matmul. */
  weft.step_fold = function (direction) {
    const at = weft.matmul_at(weft.cycle);
    const inside = at >= 0 && weft.cycle > weft.matmuls[at].begin && direction < 0;
    const next = weft.matmuls[inside ? at : at + direction];
    if (next) weft.go_to(next.begin);
  };

  // --- The current tile map --------------------------------------------------------------------

  weft.map = 0;

  weft.select_map = function (index) {
    if (!data.tiles || !data.tiles[index]) return;
    weft.map = index;
    weft.tell('map', index);
  };
})(globalThis.weft);
