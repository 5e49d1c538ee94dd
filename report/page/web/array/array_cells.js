// How one register and one PE look on a canvas.
//
//   +-----------------+
//   | act      shadow |   frame and corner: the swap is here; bar on top: a push is here
//   |     weight      |   tinted: works on a row; hatched: works on padding
//   |            psum |
//   +-----------------+
'use strict';

(function (weft) {
  const kDigitWidth = 0.61;  // as a share of the font's size; all digits are equally wide
  const kOperandDigits = 4.4;  // room for -128 beside another operand, with a gap

  weft.mono = "ui-monospace, 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace";

  // --- Short numbers ---------------------------------------------------------------------------

  function shortened_integer(value, room) {
    const text = String(value);
    if (text.length <= room) return text;
    const [size, unit] = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']]
      .find(([each]) => Math.abs(value) >= each) || [1, ''];
    const tenths = `${(value / size).toFixed(1)}${unit}`;
    return unit && tenths.length <= room ? tenths : `${Math.round(value / size)}${unit}`;
  }

  function shortened_float(value, room) {
    if (Number.isNaN(value)) return 'NaN';
    if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
    if (value === 0) return '0';
    for (let digits = 4; digits > 0; --digits) {
      const text = String(Number(value.toPrecision(digits))).replace(/^(-?)0\./, '$1.');
      if (text.length <= room) return text;
    }
    return value.toExponential(0).replace('e+', 'e');
  }

  /** Writes `value` in about `room` characters, with all its digits if they fit. */
  weft.cell_text = function (value, room) {
    const whole = weft.recording.dtype === 'int8';
    return (whole ? shortened_integer(value, room) : shortened_float(value, room))
      .replace('-', '\u2212');
  };

  weft.room_for = (width, font) => Math.max(2, Math.floor(width / (font * kDigitWidth) + 0.01));

  /** Prepares a canvas of width x height CSS pixels, its units, at the screen's resolution. */
  weft.prepare_canvas = function (canvas, width, height) {
    const scale = Math.min(3, devicePixelRatio || 1);
    const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext('2d');
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
  };

  // --- What a PE works on ----------------------------------------------------------------------

  const kAll = () => true;
  const kMostTiles = 256;  // a byte for each PE of each tile
  const held_of_tile = new Map();  // "map k_tile n_tile" -> whether PE(r,c) holds a weight

  /** Between joined lines and between groups a tile has zeros, so its size alone does not tell. */
  function holds_in_boxes(boxes, {rows, cols}) {
    const held = new Uint8Array(rows * cols);
    for (const {row, rows: many, first, last} of boxes) {
      for (let r = row; r < row + many; ++r) held.fill(1, r * cols + first, r * cols + last);
    }
    return (r, c) => held[r * cols + c] === 1;
  }

  function find_held(matmul) {
    const map = matmul && matmul.map >= 0 ? weft.data.tiles[matmul.map] : null;
    if (!map) return kAll;
    const mapping = weft.data.mappings && weft.data.mappings[map.mapping];
    const boxes = mapping &&
      weft.weight_boxes(mapping, matmul.k_tile, matmul.n_tile, weft.recording.cols);
    if (boxes) return holds_in_boxes(boxes, weft.recording);
    const size = weft.tile_size(matmul);
    return (r, c) => r < size.k && c < size.n;
  }

  /** A function that says whether PE(r,c) holds a weight of the matmul's tile, or padding. */
  function held_by(matmul) {
    if (!matmul) return kAll;
    const key = `${matmul.map} ${matmul.k_tile} ${matmul.n_tile}`;
    if (held_of_tile.size > kMostTiles) held_of_tile.clear();
    if (!held_of_tile.has(key)) held_of_tile.set(key, find_held(matmul));
    return held_of_tile.get(key);
  }

  /** For each diagonal r+c: whether a row is there in this cycle, and which PEs hold weights. */
  weft.work_on_diagonals = function (cycle, diagonals) {
    const out = [];
    for (let d = 0; d < diagonals; ++d) {
      const entered = cycle - 1 - d;
      const busy = weft.recording.row_at(entered) >= 0;
      out.push({busy, holds: busy ? held_by(weft.matmuls[weft.matmul_at(entered)]) : kAll});
    }
    return out;
  };

  /** Whether PE(r,c) works on padding in the cycle of `work`. */
  weft.is_padding = (work, r, c) => work[r + c].busy && !work[r + c].holds(r, c);

  // --- Drawing ---------------------------------------------------------------------------------

  function put(context, text, x, y, align, color, font) {
    context.font = font;
    context.textAlign = align;
    context.fillStyle = color;
    context.fillText(text, x, y);
  }

  weft.put_text = put;

  /** Fonts and positions in a PE of w x h. */
  weft.pe_layout = function (w, h) {
    const size = Math.max(8, Math.min(15, h / 3.6, w / 4.2));
    const inset = Math.max(3, w * 0.06);
    const half = Math.min(size, (w / 2 - inset) / (kOperandDigits * kDigitWidth));
    return {w, h, inset,
      act_y: h * 0.23, weight_y: h * 0.53, sum_y: h * 0.82,
      plain: `${size}px ${weft.mono}`, half: `${half}px ${weft.mono}`,
      bold: `bold ${size * 1.08}px ${weft.mono}`,
      half_room: weft.room_for(w / 2 - inset, half), room: weft.room_for(w - 2 * inset, size)};
  };

  /** The `rows` x `cols` PEs {i, r, c, x, y} from `first` on, in an array of `all_cols` columns. */
  weft.pe_places = function (rows, cols, place, all_cols, first = [0, 0]) {
    return Array.from({length: rows * cols}, (_, at) => {
      const [down, right] = [Math.floor(at / cols), at % cols];
      const [r, c] = [first[0] + down, first[1] + right];
      const [x, y] = place(down, right);
      return {i: r * all_cols + c, r, c, x, y};
    });
  };

  /** Writes `text_of(i)` in each PE. One call per font: changing it costs more than a text. */
  function write_all(context, pes, {font, align, dx, dy, color_of}, text_of) {
    context.font = font;
    context.textAlign = align;
    let color = null;
    for (const {i, x, y} of pes) {
      const wanted = color_of(i);
      if (wanted !== color) context.fillStyle = color = wanted;
      context.fillText(text_of(i), x + dx, y + dy);
    }
  }

  /** Draws what does not move in PEs {i, r, c, x, y}: backgrounds, frames and both weights. */
  weft.draw_pes = function (context, q, pes, layout, work) {
    const {w, inset} = layout;
    const colors = weft.colors();
    const {value} = weft.recording.numbers;
    const padding = weft.canvas_pattern(context, 'padding', colors.busy, colors.hatch);
    for (const pe of pes) draw_ground(context, q, pe, layout, work, padding);
    write_all(context, pes, {font: layout.half, align: 'right', dx: w - inset, dy: layout.act_y,
      color_of: (i) => (q.push[i] ? colors.push : colors.faint)},
    (i) => weft.cell_text(value(q.weight_shadow[i]), layout.half_room));
    write_all(context, pes, {font: layout.bold, align: 'center', dx: w / 2, dy: layout.weight_y,
      color_of: () => colors.weight},
    (i) => weft.cell_text(value(q.weight_active[i]), layout.room));
  };

  function draw_ground(context, q, {i, r, c, x, y}, {w, h}, work, padding) {
    const colors = weft.colors();
    const {busy} = work[r + c];
    context.fillStyle = weft.is_padding(work, r, c) ? padding : busy ? colors.busy : colors.idle;
    context.fillRect(x + 0.5, y + 0.5, w - 1, h - 1);
    context.strokeStyle = colors.line;
    context.lineWidth = 1;
    context.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
    if (q.push[i]) mark_push(context, x, y, w, colors);
    if (q.swap[i]) mark_swap(context, x, y, w, h, colors);
  }

  function mark_push(context, x, y, w, colors) {
    context.fillStyle = colors.push;
    context.fillRect(x + 1, y + 1, w - 2, 3);
  }

  function mark_swap(context, x, y, w, h, colors) {
    context.strokeStyle = colors.swap;
    context.lineWidth = 3;
    context.strokeRect(x + 2, y + 2, w - 4, h - 4);
    context.fillStyle = colors.swap;
    context.beginPath();
    context.moveTo(x + 1, y + h - 1);
    context.lineTo(x + 1, y + h - 11);
    context.lineTo(x + 11, y + h - 1);
    context.fill();
  }

  /** Draws what moves by `shift` of a PE: activations to the right, sums down. */
  weft.draw_flow = function (context, q, pes, layout, shift) {
    const {w, h, inset} = layout;
    const {act, sum} = weft.colors();
    const {value} = weft.recording.numbers;
    write_all(context, pes, {font: layout.half, align: 'left', dx: inset + shift * w,
      dy: layout.act_y, color_of: () => act},
    (i) => weft.cell_text(value(q.act[i]), layout.half_room));
    write_all(context, pes, {font: layout.plain, align: 'right', dx: w - inset,
      dy: layout.sum_y + shift * h, color_of: () => sum},
    (i) => weft.cell_text(q.psum[i], layout.room));
  };

  /** Draws a register of a skew: a box with its value, or only a mark if the value does not fit. */
  weft.draw_register = function (context, x, y, w, h, text, color, style) {
    context.globalAlpha = style === 'ahead' ? 0.6 : 1;
    context.strokeStyle = color;
    context.lineWidth = style === 'port' ? 2 : 1;
    if (style !== 'ahead') context.strokeRect(x + 1.5, y + 1.5, w - 3, h - 3);
    const size = Math.min(12, h * 0.62, (w - 4) / (3.4 * kDigitWidth));
    const room = weft.room_for(w - 3, size);
    const shown = typeof text === 'string' ? text : weft.cell_text(text, room);
    if (size >= 7 && shown.length <= Math.max(room, 4)) {
      put(context, shown, x + w / 2, y + h / 2 + 0.5, 'center', color, `${size}px ${weft.mono}`);
    } else {
      context.fillStyle = color;
      context.fillRect(x + 3, y + 3, w - 6, h - 6);
    }
    context.globalAlpha = 1;
  };
})(globalThis.weft);
