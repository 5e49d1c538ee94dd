// The whole array, register by register, for up to 16 x 16 PEs:
//
//                      weights to come
//                     skew   |  |  |  |
//   activations  skew  ->  [ PE PE PE PE ]
//   to come            ->  [ PE PE PE PE ]
//                            |  |  |  |
//                          deskew
//                     row of results -> accumulators
//
// Left of row r, place p = 1, 2, ... shows what enters the array p cycles from now. In cycle t that
// is the row of cycle t-r-1+p. Places 1 to r are registers and place r+1 is the port; values in
// later places have not arrived yet. The same holds above each column.
'use strict';

(function (weft) {
  const kLargest = 16;
  const kRoomy = 8;     // up to here the skew's registers have room for large digits
  const kWidest = 104;
  const kNarrowest = 52;  // a narrower stage scrolls
  const kRest = 0.5;    // the share of a cycle in which values stand still

  /** The layout for a width; null for an array too large to draw PE by PE. */
  weft.diagram_layout = function (rows, cols, width) {
    if (rows > kLargest || cols > kLargest) return null;
    const large = Math.max(rows, cols) > kRoomy;
    const skew_w = large ? 21 : Math.min(38, Math.max(26, width / (rows + 1) / 3));
    const skew_h = large ? 12 : 20;
    const left = (rows + 1) * skew_w + 4;
    const cell_w = Math.max(kNarrowest,
      Math.min(kWidest, Math.floor((width - left - 4) / cols)));
    const cell_h = Math.min(62, Math.max(34, Math.round(cell_w * 0.66)));
    const top = (cols + 1) * skew_h + 4;
    const below = top + rows * cell_h;
    const pes = weft.pe_places(rows, cols, (r, c) => [left + c * cell_w, top + r * cell_h], cols);
    return {rows, cols, skew_w, skew_h, left, top, cell_w, cell_h, below, pes,
      result: below + (cols - 1) * skew_h + 8, width: left + cols * cell_w + 4,
      height: below + (cols - 1) * skew_h + 8 + 26 + 4, pe: weft.pe_layout(cell_w, cell_h)};
  };

  /** Values rest for a part of the cycle, so that they can be read, and then move on. */
  function shift_of(phase) {
    const x = Math.max(0, (phase - kRest) / (1 - kRest));
    return x * x * (3 - 2 * x);
  }

  weft.draw_diagram = function (context, layout, cycle, phase) {
    const q = weft.recording.seek(cycle);
    const shift = shift_of(phase);
    context.textBaseline = 'middle';
    draw_names(context, layout);
    draw_slots(context, layout);
    const work = weft.work_on_diagonals(cycle, layout.rows + layout.cols);
    weft.draw_pes(context, q, layout.pes, layout.pe, work);
    draw_activations(context, layout, cycle, shift);
    draw_weights(context, layout, cycle, shift);
    draw_deskew(context, layout, q, cycle, shift);
    draw_result(context, layout, q, cycle);
    weft.draw_flow(context, q, layout.pes, layout.pe, shift);
  };

  /** Names the operands in the corner, if there is room. */
  function draw_names(context, layout) {
    if (layout.left < 165) return;
    const font = '11px sans-serif';
    const {soft} = weft.colors();
    weft.put_text(context, 'weights ↓', layout.left - 8, layout.top - 14, 'right', soft, font);
    weft.put_text(context, 'activations →', 2, layout.top - 14, 'left', soft, font);
  }

  /** Draws the empty registers of both skews and of the deskew. */
  function draw_slots(context, layout) {
    const {rows, cols, left, top, below, cell_w, cell_h, skew_w, skew_h, pe} = layout;
    context.beginPath();
    const slot = (x, y, w, h) => context.rect(x + 1.5, y + 1.5, w - 3, h - 3);
    for (let r = 0; r < rows; ++r) {
      const y = top + r * cell_h + pe.act_y - skew_h / 2;
      for (let place = 1; place <= r; ++place) slot(left - 4 - place * skew_w, y, skew_w, skew_h);
    }
    for (let c = 0; c < cols; ++c) {
      const w = weight_width(layout);
      const x = left + (c + 0.5) * cell_w - w / 2;
      for (let place = 1; place <= c; ++place) slot(x, top - 4 - place * skew_h, w, skew_h);
      for (let place = 0; place < cols - 1 - c; ++place) {
        slot(left + c * cell_w + 2, below + place * skew_h + 2, cell_w - 4, skew_h);
      }
    }
    context.lineWidth = 1;
    context.strokeStyle = weft.colors().line;
    context.stroke();
  }

  const style_of = (place, registers) =>
    place <= registers ? 'register' : place === registers + 1 ? 'port' : 'ahead';

  function draw_activations(context, layout, cycle, shift) {
    const {recording} = weft;
    const color = weft.colors().act;
    for (let r = 0; r < layout.rows; ++r) {
      const y = layout.top + r * layout.cell_h + layout.pe.act_y - layout.skew_h / 2;
      for (let place = 1; place <= layout.rows + 1; ++place) {
        const entering = cycle - r - 1 + place;
        if (recording.row_at(entering) < 0) continue;
        const x = layout.left - 4 - (place - shift) * layout.skew_w;
        const value = recording.numbers.value(recording.act_at(entering, r));
        weft.draw_register(context, x, y, layout.skew_w, layout.skew_h, value,
          recording.swap_at(entering) ? weft.colors().swap : color, style_of(place, r));
      }
    }
  }

  function draw_weights(context, layout, cycle, shift) {
    const {recording} = weft;
    const color = weft.colors().push;
    for (let c = 0; c < layout.cols; ++c) {
      const x = layout.left + c * layout.cell_w + layout.cell_w / 2 - weight_width(layout) / 2;
      for (let place = 1; place <= layout.cols + 1; ++place) {
        const entering = cycle - c - 1 + place;
        if (recording.push_at(entering) < 0) continue;
        const y = layout.top - 4 - (place - shift) * layout.skew_h;
        const value = recording.numbers.value(recording.weight_at(entering, c));
        weft.draw_register(context, x, y, weight_width(layout), layout.skew_h, value, color,
          style_of(place, c));
      }
    }
  }

  const weight_width = (layout) => Math.min(layout.cell_w - 4, 54);

  function draw_deskew(context, layout, q, cycle, shift) {
    const {recording} = weft;
    const color = weft.colors().sum;
    for (let c = 0; c < layout.cols - 1; ++c) {
      const x = layout.left + c * layout.cell_w + 2;
      for (let place = 1; place < layout.cols - c; ++place) {
        // Place p holds what left the column p cycles ago; its row entered R+c cycles earlier.
        if (recording.row_at(cycle - layout.rows - c - place) < 0) continue;
        const y = layout.below + (place - 1 + shift) * layout.skew_h + 2;
        weft.draw_register(context, x, y, layout.cell_w - 4, layout.skew_h,
          q.deskew[(place - 1) * layout.cols + c], color, 'register');
      }
    }
  }

  /** Draws the row of results at the output, and the accumulator row that receives it. */
  function draw_result(context, layout, q, cycle) {
    const colors = weft.colors();
    const row = weft.recording.written_at(cycle);
    const y = layout.result;
    context.strokeStyle = row < 0 ? colors.line : colors.sum;
    context.lineWidth = row < 0 ? 1 : 2;
    context.strokeRect(layout.left + 1, y, layout.cols * layout.cell_w - 2, 22);
    draw_destination(context, layout, row, y);
    if (row < 0) return;
    for (let c = 0; c < layout.cols; ++c) {
      const text = weft.cell_text(weft.array_output(q, c), layout.pe.room);
      weft.put_text(context, text, layout.left + (c + 1) * layout.cell_w - layout.pe.inset, y + 12,
        'right', colors.sum, layout.pe.plain);
    }
  }

  function draw_destination(context, layout, row, y) {
    const colors = weft.colors();
    const font = `11px ${weft.mono}`;
    const words = row < 0 ? ['results'] : [
      `acc ${weft.recording.acc_rows[row]} ${weft.recording.accumulates(row) ? '+=' : '='}`];
    const room = layout.left / (11 * 0.61);
    if (words[0].length > room) return;
    weft.put_text(context, words[0], layout.left - 6, y + 12, 'right',
      row < 0 ? colors.faint : colors.sum, font);
  }

  weft.frame_in_diagram = (layout, [r, c]) =>
    [layout.left + c * layout.cell_w, layout.top + r * layout.cell_h, layout.cell_w, layout.cell_h];

  /** The PE under a point of the canvas, [row, column], or null. */
  weft.pe_in_diagram = function (layout, x, y) {
    const c = Math.floor((x - layout.left) / layout.cell_w);
    const r = Math.floor((y - layout.top) / layout.cell_h);
    return r >= 0 && c >= 0 && r < layout.rows && c < layout.cols ? [r, c] : null;
  };
})(globalThis.weft);
