// The positions in a drawing of a tile map. Tiles along K and N are drawn in full, with their
// padding, so that position i*tile + j is lane j of tile i:
//
//                      +--------+
//                      | [K,N]  |
//                      +--------+
//          +--------+  +--------+      rows of the result line up with rows of the activations,
//          | [M,K]  |  | [M,N]  |      its columns with columns of the weights
//          +--------+  +--------+
'use strict';

(function (weft) {
  const kGap = 14;
  const kNarrowest = 120;   // the least width of a matrix, to hold its name
  const kLowest = 40;
  const kTallest = 440;
  const kClosestLines = 6;  // least pixels between tile lines; closer lines are drawn as groups

  /** The tiles of one dimension in padded coordinates: edges, used lengths, and totals. */
  function axis(edges, tile) {
    const tiles = edges.length - 1;
    const used = Array.from({length: tiles}, (_, i) => edges[i + 1] - edges[i]);
    return {tiles, used, tile, padded: tiles * tile, size: edges[tiles]};
  }

  /** M has no padding; each chunk has its own length. */
  function chunk_axis(edges) {
    return {tiles: edges.length - 1, edges, padded: edges[edges.length - 1],
      size: edges[edges.length - 1]};
  }

  function begin_of(of, i) {
    return of.edges ? of.edges[i] : i * of.tile;
  }

  function common_scale(m, k, n, width, heads) {
    const across = (width - kGap - heads) / (k + n);
    return Math.min(across, (kTallest - kGap) / (k + m), 60);
  }

  /** If a side would be too short to see, the others shrink and the scales differ. */
  function lengths(m, k, n, width, heads) {
    const scale = common_scale(m, k, n, width, heads);
    const out = {m: Math.max(kLowest, m * scale), k: Math.max(kNarrowest, k * scale),
      n: Math.max(kNarrowest, n * scale)};
    const over = (width - kGap - heads) / (out.k + out.n);
    if (over < 1) {
      out.k *= over;
      out.n *= over;
    }
    const is_true = (length, units) => Math.abs(length - units * scale) < 0.01 * length;
    out.true_scale = is_true(out.m, m) && is_true(out.k, k) && is_true(out.n, n);
    return out;
  }

  /** `group` is the number of tiles between two lines, so that the lines stay apart. */
  function placed(of, length) {
    const per_tile = length / of.tiles;
    const group = Math.max(1, Math.ceil(kClosestLines / per_tile));
    return {...of, length, group, at: (i) => (begin_of(of, i) / of.padded) * length};
  }

  weft.tile_geometry = function (map, width, heads) {
    const m = chunk_axis(map.m_edges);
    const k = axis(map.k_edges, map.tile_k);
    const n = axis(map.n_edges, map.tile_n);
    const long = lengths(m.padded, k.padded, n.padded, width, heads);
    return {
      m: placed(m, long.m), k: placed(k, long.k), n: placed(n, long.n), true_scale: long.true_scale,
      left: heads, right: heads + long.k + kGap, top: 0, bottom: long.k + kGap,
      width: heads + long.k + kGap + long.n, height: long.k + kGap + long.m,
    };
  };

  /** The boxes of the tiles `chunk`, `k_tile`, `n_tile` in the three matrices. */
  weft.tile_boxes = function (g, chunk, k_tile, n_tile) {
    const span = (of, i) => [of.at(i), i + 1 < of.tiles ? of.at(i + 1) : of.length];
    const box = (x, y, [x0, x1], [y0, y1]) =>
      ({x: x + x0, y: y + y0, width: Math.max(2, x1 - x0), height: Math.max(2, y1 - y0)});
    const [m, k, n] = [span(g.m, chunk), span(g.k, k_tile), span(g.n, n_tile)];
    return [box(g.left, g.bottom, k, m), box(g.right, g.top, n, k), box(g.right, g.bottom, n, m)];
  };

  /** The stretches [from, to) of padding along K or N, in pixels. */
  weft.padding_stretches = function (of) {
    const out = [];
    const unit = of.length / of.padded;
    of.used.forEach((used, i) => {
      if (used < of.tile) out.push([(i * of.tile + used) * unit, (i + 1) * of.tile * unit]);
    });
    return out;
  };
})(globalThis.weft);
