// The drawing of a mapping: all k tiles as bars, and one of them with its columns.
//
//     tap   0,0       0,1     ...        0  +-----------------+----+
//          +---+---+ +---+---+           :  | tap 0,1         |zero|
//          |   |   | |   |   |           :  | channels 64-127 |s   |
//          |   |///| |   |///|           64 +-----------------+----+
//          +---+---+ +---+---+           :  | zeros                |
//            0   1     2   3                +----------------------+
'use strict';

(function (weft) {
  const {svg} = weft;
  const kTints = 6;
  const kBarHeight = 96;
  const kBarWidth = {least: 22, most: 48};
  const kBarGap = 4;
  const kFrame = 2;        // room for the frame of the first bar
  const kGapWidth = 92;    // of the words for k tiles that are left out
  const kLetter = 6.2;     // approximate pixels per letter of a label
  const kLine = 13;        // least pixels between two labels
  const kOutlined = 5;     // a lower box has no outline, which would hide it
  const kLongest = 340;    // a side of the array
  const kMargin = {left: 52, right: 8, top: 24, bottom: 8};

  // --- Bands -----------------------------------------------------------------------------------

  /** Whether taps lie side by side. A part of such a mapping may still have a single tap. */
  const has_packed_taps = (mapping) => mapping.products.some((product) =>
    (product.rows.taps || []).some((taps) => taps > 1));

  /** The color of a part with one tap. Joined lines show their bands: a color for each line of taps. */
  function tap_tint(mapping, {tap}) {
    if (!mapping.is_convolution) return 0;
    return weft.is_joined(mapping) ? Math.floor(tap / mapping.window[2]) : tap;
  }

  /** Parts of a tile in the colors of their taps, or of their channels if taps lie side by side. */
  function bands_of(mapping, tile) {
    const bands = [];
    const by_channel = has_packed_taps(mapping);
    for (const part of tile.parts) {
      if (part.taps === 1 && !by_channel) {
        bands.push({...part, tint: tap_tint(mapping, part)});
        continue;
      }
      for (let i = 0; i < part.channels; ++i) {
        bands.push({...part, row: part.row + i * part.taps, rows: part.taps,
          channel: part.channel + i, channels: 1, tint: part.channel + i});
      }
    }
    return bands;
  }

  const tint_class = (band) => `rows tint-${band.tint % kTints}`;

  // --- All k tiles -----------------------------------------------------------------------------

  /** The listed tiles from left to right; `gap` is how many are left out before a tile. */
  function places(product, tiles, width) {
    const each = Math.max(kBarWidth.least,
      Math.min(kBarWidth.most, Math.floor((width - kFrame) / tiles.length) - kBarGap));
    const line_height = kBarHeight + 40;
    const out = [];
    let [x, y, next] = [kFrame, 0, 0];
    for (const tile of tiles) {
      const gap = tile.number - next;
      const taken = each + (gap > 0 ? kGapWidth : 0);
      if (x > kFrame && x + taken > width) [x, y] = [kFrame, y + line_height];
      if (gap > 0) x += kGapWidth;
      out.push({tile, gap, x, y, width: each});
      x += each + kBarGap;
      next = tile.number + 1;
    }
    return {out, height: y + line_height};
  }

  /** The tap of all rows of a tile; -1 if there are several. */
  function only_tap(mapping, tile) {
    const [first] = tile.parts;
    const same = mapping.is_convolution && first.taps === 1 &&
      tile.parts.every((part) => part.taps === 1 && part.tap === first.tap);
    return same ? first.tap : -1;
  }

  function bar(mapping, {tile, gap, x, y, width}, rows) {
    const scale = kBarHeight / rows;
    const group = svg('g', {'class': 'k-tile', 'data-tile': tile.number});
    const box = {x, y: y + 18, width, height: kBarHeight};
    group.append(svg('rect', {...box, class: 'zeros'}));
    const lines = mapping.lines_out || 1;
    for (const band of bands_of(mapping, tile)) {
      group.append(svg('rect', {x: x + (band.line_out || 0) * width / lines,
        y: box.y + band.row * scale, width: width / lines, height: band.rows * scale,
        class: tint_class(band)}));
    }
    group.append(svg('rect', {...box, class: 'edge'}));
    const middle = {'x': x + width / 2, 'text-anchor': 'middle'};
    const tap = only_tap(mapping, tile);
    const name = tap < 0 ? '' : weft.tap_name(mapping, tap);
    if (name.length * kLetter <= width + kBarGap) {
      group.append(svg('text', {...middle, y: y + 13, class: 'small'}, name));
    }
    group.append(svg('text', {...middle, y: y + kBarHeight + 32, class: 'small'},
      weft.count(tile.number)));
    if (gap > 0) {
      group.append(svg('text', {'x': x - kGapWidth / 2 - kBarGap / 2, 'y': box.y + kBarHeight / 2,
        'text-anchor': 'middle', 'class': 'small'}, `\u2026 ${weft.count(gap)} more \u2026`));
    }
    return group;
  }

  /** The bars of all listed k tiles, in an <svg>. `choose(index)` is called for a click on one. */
  weft.draw_k_tiles = function (mapping, product, tiles, rows, width, choose) {
    const {out, height} = places(product, tiles, width);
    const drawing = svg('svg', {...weft.chart_size(width, height), 'role': 'img',
      'class': 'k-tiles', 'aria-label': `${weft.plural(product.count, 'k tile')} of ` +
        `${rows} rows`}, weft.pattern_defs('mapping'));
    out.forEach((place, i) => {
      const group = bar(mapping, place, rows);
      group.addEventListener('click', () => choose(i));
      group.addEventListener('pointermove', (event) => weft.show_tip(
        [`k tile ${place.tile.number}`, ...place.tile.parts.slice(0, 8).map((part) =>
          weft.part_words(mapping, part))], event.clientX, event.clientY));
      group.addEventListener('pointerleave', weft.hide_tip);
      drawing.append(group);
    });
    return drawing;
  };

  // --- One tile --------------------------------------------------------------------------------

  /** The boxes of a band's weights in the columns of n tile `n_tile`, in rows and columns. */
  function boxes(mapping, band, n_tile, cols) {
    const out = [];
    const [rows, filters] = [band.rows / band.blocks, band.filters / band.blocks];
    for (let i = 0; i < band.blocks; ++i) {
      const begin = band.column + i * filters - n_tile * cols;
      const first = Math.max(0, begin);
      const last = Math.min(cols, begin + filters);
      if (first < last) out.push({row: band.row + i * rows, rows, first, last});
    }
    return out;
  }

  /** The boxes of weights of k tile `number`; null if the page does not list the tile. */
  weft.weight_boxes = function (mapping, number, n_tile, cols) {
    const tile = weft.mapping_tiles(mapping.products[0]).find((each) => each.number === number);
    if (!tile || mapping.products.length > 1) return null;
    return tile.parts.flatMap((part) => boxes(mapping, part, n_tile, cols));
  };

  /** How many PEs hold a weight of k tile `number`; null if the page does not list the tile. */
  weft.weights_held = function (mapping, number, n_tile, cols) {
    const held = weft.weight_boxes(mapping, number, n_tile, cols);
    return held && d3.sum(held, (box) => box.rows * (box.last - box.first));
  };

  /** Numbers along a side, as far apart as a line of text. */
  function sparse(numbers, scale, least) {
    const out = [];
    for (const number of numbers) {
      if (out.length === 0 || (number - out.at(-1)) * scale >= least) out.push(number);
    }
    return out;
  }

  function row_numbers(bands, rows, scale) {
    const edges = new Set([0, ...bands.flatMap((band) => [band.row, band.row + band.rows])]);
    edges.delete(rows);
    return sparse([...edges].sort((a, b) => a - b), scale, kLine).map((row) =>
      svg('text', {'x': kMargin.left - 6, 'y': kMargin.top + row * scale + 10,
        'text-anchor': 'end', 'class': 'small'}, row));
  }

  /** The name of a band, if it has room. The bands of joined lines lie side by side in `box`. */
  function band_label(mapping, band, box, scale) {
    const height = band.rows * scale;
    const text = weft.is_joined(mapping) ? weft.tap_words(mapping, band)
      : weft.part_words(mapping, band);
    if (height < kLine || text.length * kLetter > box.width - 12) return '';
    const y = box.y + band.row * scale + Math.min(height / 2 + 4, 18);
    const at = band.blocks === 1 ? {x: box.x + 8, y}
      : {x: box.x + box.width - 8, y, 'text-anchor': 'end'};  // beside the diagonal
    return svg('text', {...at, class: 'halo small'}, text);
  }

  /** The joined lines of the result above their columns, if there is room; else the columns. */
  function line_names(mapping, {first, used, begin}, y, scale) {
    const each = mapping.line_filters;
    const text = (column, words) =>
      svg('text', {x: kMargin.left + (column - first) * scale, y, class: 'small'}, words);
    if (each * scale < kLetter * 'line 10'.length) {
      return [text(first, `columns ${weft.count(first)}\u2013${weft.count(first + used - 1)}`)];
    }
    const lines = d3.range(Math.floor((first - begin) / each),
      Math.ceil((first - begin + used) / each));
    return lines.map((line) => text(Math.max(first, begin + line * each), `line ${line}`));
  }

  function column_names(mapping, n_tile, cols, scale) {
    const used = weft.used_columns(mapping, n_tile, cols);
    const first = n_tile * cols;
    const name = mapping.is_convolution ? 'filters' : 'N';
    const y = kMargin.top - 8;
    if (mapping.lines_out > 1) {
      const begin = weft.first_line_column(mapping, n_tile, cols);
      return line_names(mapping, {first, used, begin}, y, scale);
    }
    const out = [svg('text', {x: kMargin.left, y, class: 'small'},
      used === 1 ? `${name} ${first}` : `${name} ${first}\u2013${first + used - 1}`)];
    const free = (cols - used) * scale;
    if (free > 6 * kLetter) {
      out.push(svg('text', {'x': kMargin.left + cols * scale, y, 'text-anchor': 'end',
        'class': 'small'}, 'zeros'));
    }
    return out;
  }

  /** Rows and columns of one tile, in an <svg>. */
  weft.draw_array_rows = function (mapping, tile, n_tile, {rows, cols}, width) {
    const room = Math.min(kLongest, width - kMargin.left - kMargin.right);
    const scale = Math.min(room / Math.max(rows, cols), 40);
    const box = {x: kMargin.left, y: kMargin.top, width: cols * scale, height: rows * scale};
    const drawing = svg('svg', {...weft.chart_size(width, kMargin.top + box.height + kMargin.bottom),
      'role': 'img', 'id': 'array-rows',
      'aria-label': weft.tile_words(mapping, tile, n_tile, {rows, cols})},
      weft.pattern_defs('rows'), svg('rect', {...box, class: 'zeros'}));
    const bands = bands_of(mapping, tile);
    const labels = [];
    for (const band of bands) {
      for (const each of boxes(mapping, band, n_tile, cols)) {
        const height = each.rows * scale;
        const [x, width] = [box.x + each.first * scale, (each.last - each.first) * scale];
        drawing.append(svg('rect', {x, y: box.y + each.row * scale, width, height,
          class: `${tint_class(band)} ${height < kOutlined ? 'thin' : ''}`}));
        if (weft.is_joined(mapping)) labels.push(band_label(mapping, band, {...box, x, width}, scale));
      }
      if (!weft.is_joined(mapping)) labels.push(band_label(mapping, band, box, scale));
    }
    drawing.append(svg('rect', {...box, class: 'edge'}), ...labels,
      ...row_numbers(bands, rows, scale), ...column_names(mapping, n_tile, cols, scale));
    return drawing;
  };
})(globalThis.weft);
