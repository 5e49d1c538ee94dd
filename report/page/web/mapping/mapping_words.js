// What the rows of a k tile hold: the data of a mapping as lists, and in words.
'use strict';

(function (weft) {
  const range = (first, count, name) => (count === 1 ? `${name} ${weft.count(first)}`
    : `${name}s ${weft.count(first)}\u2013${weft.count(first + count - 1)}`);

  const plain = (first, count) =>
    (count === 1 ? String(first) : `${weft.count(first)}\u2013${weft.count(first + count - 1)}`);

  weft.is_joined = (mapping) => mapping.lines_in > 1 || mapping.lines_out > 1;

  /** The parts of the rows of each listed k tile. */
  weft.mapping_tiles = function (product) {
    const {rows} = product;
    const tiles = product.k_tiles.map((number, i) =>
      ({number, piece: product.pieces[i], parts: []}));
    rows.tile.forEach((tile, i) => {
      const part = {};
      for (const [name, column] of Object.entries(rows)) part[name] = column[i];
      tiles[tile].parts.push({...part, rows: part.channels * part.taps});
    });
    return tiles;
  };

  /** "1,2": the place of a tap in the window, y and x, or z, y and x. */
  weft.tap_name = function (mapping, tap) {
    const [depth, lines, columns] = mapping.window;
    const place = [Math.floor(tap / columns) % lines, tap % columns];
    return (depth > 1 ? [Math.floor(tap / columns / lines), ...place] : place).join(',');
  };

  /** "tap 1,2" or "taps 0,0 to 0,2". */
  weft.tap_words = function (mapping, {tap, taps}) {
    const name = (at) => weft.tap_name(mapping, at);
    return taps === 1 ? `tap ${name(tap)}` : `taps ${name(tap)} to ${name(tap + taps - 1)}`;
  };

  /** " of line 1 for line 0 of the result": which of the joined lines a part connects. */
  function line_words(mapping, part) {
    const from = mapping.lines_in > 1 ? ` of line ${part.line_in}` : '';
    return from + (mapping.lines_out > 1 ? ` for line ${part.line_out} of the result` : '');
  }

  /** "tap 1,2, channels 0-63"; of a product "K 128-255". */
  weft.part_words = function (mapping, part) {
    const {channel, channels} = part;
    if (!mapping.is_convolution) return `K ${plain(channel, channels)}`;
    return `${weft.tap_words(mapping, part)}, ${range(channel, channels, 'channel')}` +
      line_words(mapping, part);
  };

  /** The rows that no part takes, as [first, count]. */
  function free_rows(parts, rows) {
    const out = [];
    let at = 0;
    for (const part of [...parts, {row: rows, rows: 0}].sort((a, b) => a.row - b.row)) {
      if (part.row > at) out.push([at, part.row - at]);
      at = Math.max(at, part.row + part.rows);
    }
    return out;
  }

  /** The columns of the result in an n tile, by name. */
  function column_words(mapping, first, count) {
    if (mapping.lines_out > 1) {
      return `${range(first, count, 'column')} of the result, ` +
        `${weft.plural(mapping.line_filters, 'filter')} for each of ${mapping.lines_out} lines`;
    }
    return range(first, count, mapping.is_convolution ? 'filter' : 'N').replace('Ns', 'N');
  }

  /** Each n tile holds a slice of the filters, for all joined lines. */
  const has_slices = (mapping) => mapping.lines_out * mapping.line_filters < mapping.filters;

  /** The columns of n tile `n_tile` that hold filters. */
  weft.used_columns = (mapping, n_tile, columns) => (has_slices(mapping)
    ? mapping.lines_out * mapping.line_filters
    : Math.min(columns, mapping.filters - n_tile * columns));

  /** The column of the result where the joined lines of n tile `n_tile` begin. */
  weft.first_line_column = (mapping, n_tile, columns) =>
    (has_slices(mapping) ? n_tile * columns : 0);

  const kNamedParts = 4;

  /** Says what lies in the rows and columns of a tile. */
  weft.tile_words = function (mapping, tile, n_tile, {rows, cols}) {
    const piece = mapping.pieces > 1 ? `, piece ${tile.piece + 1} of ${mapping.pieces}` : '';
    const parts = tile.parts.slice(0, kNamedParts).map((part) =>
      `${range(part.row, part.rows, 'row')}: ${weft.part_words(mapping, part)}`);
    const more = tile.parts.length - kNamedParts;
    if (more > 0) parts.push(`${weft.plural(more, 'more part')}`);
    for (const [first, count] of free_rows(tile.parts, rows)) {
      parts.push(`${range(first, count, 'row')}: zeros`);
    }
    const used = weft.used_columns(mapping, n_tile, cols);
    parts.push(`${range(0, used, 'column')}: ${column_words(mapping, n_tile * cols, used)}`);
    if (used < cols) parts.push(`${range(used, cols - used, 'column')}: zeros`);
    const words = parts.join('; ');
    return `K tile ${weft.count(tile.number)}${piece}, n tile ${weft.count(n_tile)}. ` +
      `${words[0].toUpperCase()}${words.slice(1)}.`;
  };
})(globalThis.weft);
