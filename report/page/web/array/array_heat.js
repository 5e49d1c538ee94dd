// Draws arrays that are too large for a diagram: a picture with at least a pixel per PE, and beside
// it the PEs in a window in full.
'use strict';

(function (weft) {
  const kPicture = 460;
  // Sizes of a PE, by the largest number of PEs along a side of the window.
  const kPeSizes = {4: {w: 96, h: 62}, 8: {w: 62, h: 46}, 16: {w: 52, h: 36}};
  const kAbove = '#4f9f57';  // differs from the colors of swap and push
  const kBelow = '#9a5fb0';

  weft.heat_quantities = {psum: 'partial sums', act: 'activations',
    weight_active: 'active weights', weight_shadow: 'shadow weights'};

  weft.heat = {quantity: 'psum', row: 0, col: 0, side: 8};

  weft.heat_sides = Object.keys(kPeSizes).map(Number);

  weft.heat_layout = function (rows, cols, width) {
    const side = Math.min(kPicture, width);
    const scale = Math.min(side / cols, side / rows, 24);
    const size = kPeSizes[weft.heat.side];
    const columns_in = (room) => Math.floor((room - 40) / size.w);
    const beside = columns_in(width - cols * scale - 24);
    const most = beside >= Math.min(weft.heat.side, 8, cols) ? beside : columns_in(width);
    const shown_cols = Math.min(cols, weft.heat.side, Math.max(1, most));
    const shown_rows = Math.min(rows, weft.heat.side);
    const picture = {width: Math.max(4, cols * scale), height: Math.max(4, rows * scale)};
    return {rows, cols, scale, shown_rows, shown_cols, picture, size,
      pe: weft.pe_layout(size.w, size.h),
      window: {width: 40 + shown_cols * size.w, height: 20 + shown_rows * size.h}};
  };

  /** Moves the window, but keeps it inside the array. */
  weft.move_window = function (layout, row, col) {
    const within = (value, most) => Math.max(0, Math.min(most, Math.round(value)));
    weft.heat.row = within(row, layout.rows - layout.shown_rows);
    weft.heat.col = within(col, layout.cols - layout.shown_cols);
  };

  // --- Picture ---------------------------------------------------------------------------------

  let bitmap = null;

  function bitmap_of(rows, cols) {
    if (bitmap && bitmap.width === cols && bitmap.height === rows) return bitmap;
    bitmap = weft.el('canvas', {width: cols, height: rows});
    return bitmap;
  }

  function parse(color) {
    return [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
  }

  /** Positive values take one color, negative ones another, by the root of the magnitude. */
  function scale_of(values, value) {
    let largest = 0;
    for (let i = 0; i < values.length; ++i) {
      const size = Math.abs(value(values[i]));
      if (size > largest && size < Infinity) largest = size;
    }
    const ground = parse(weft.colors().ground);
    const [up, down] = [parse(kAbove), parse(kBelow)];
    return (x) => {
      const share = largest > 0 ? Math.min(1, Math.sqrt(Math.abs(x) / largest)) : 0;
      const toward = x < 0 ? down : up;
      return ground.map((from, k) => from + share * (toward[k] - from));
    };
  }

  function paint_pixels(pixels, q) {
    const {quantity} = weft.heat;
    const values = q[quantity];
    const value = quantity === 'psum' ? (x) => x : weft.recording.numbers.value;
    const color = scale_of(values, value);
    const colors = weft.colors();
    const [swap, push] = [parse(colors.swap), parse(colors.push)];
    const pushes = quantity === 'weight_shadow';  // only these; a push would hide the rest
    for (let i = 0; i < values.length; ++i) {
      const rgb = q.swap[i] ? swap : pushes && q.push[i] ? push : color(value(values[i]));
      pixels.set([rgb[0], rgb[1], rgb[2], 255], 4 * i);
    }
  }

  weft.draw_heat = function (context, layout, q) {
    const source = bitmap_of(layout.rows, layout.cols);
    const paper = source.getContext('2d');
    const image = paper.createImageData(layout.cols, layout.rows);
    paint_pixels(image.data, q);
    paper.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = layout.scale < 1;
    context.drawImage(source, 0, 0, layout.picture.width, layout.picture.height);
    context.lineWidth = 1;
    context.strokeStyle = weft.colors().line;
    context.strokeRect(0.5, 0.5, layout.picture.width - 1, layout.picture.height - 1);
    draw_frame(context, layout);
  };

  function draw_frame(context, layout) {
    const {heat} = weft;
    const {scale} = layout;
    const box = [heat.col * scale, heat.row * scale, layout.shown_cols * scale,
      layout.shown_rows * scale];
    context.lineWidth = 4;
    context.strokeStyle = weft.colors().ground;
    context.strokeRect(...box);
    context.lineWidth = 2;
    context.strokeStyle = weft.colors().ink;
    context.strokeRect(...box);
  }

  // --- Window ----------------------------------------------------------------------------------

  weft.draw_window = function (context, layout, q, cycle) {
    const {heat} = weft;
    const work = weft.work_on_diagonals(cycle, layout.rows + layout.cols);
    context.textBaseline = 'middle';
    draw_numbers(context, layout);
    const pes = weft.pe_places(layout.shown_rows, layout.shown_cols,
      (i, j) => [40 + j * layout.size.w, 20 + i * layout.size.h], layout.cols, [heat.row, heat.col]);
    weft.draw_pes(context, q, pes, layout.pe, work);
    weft.draw_flow(context, q, pes, layout.pe, 0);
  };

  function draw_numbers(context, layout) {
    const {soft} = weft.colors();
    const font = `11px ${weft.mono}`;
    for (let i = 0; i < layout.shown_rows; ++i) {
      weft.put_text(context, `r${weft.heat.row + i}`, 34, 20 + (i + 0.5) * layout.size.h, 'right', soft,
        font);
    }
    for (let j = 0; j < layout.shown_cols; ++j) {
      weft.put_text(context, `c${weft.heat.col + j}`, 40 + (j + 0.5) * layout.size.w, 10, 'center', soft,
        font);
    }
  }

  /** Where PE(r,c) is drawn, or null if it is outside the window. */
  weft.frame_in_window = function (layout, [r, c]) {
    const [i, j] = [r - weft.heat.row, c - weft.heat.col];
    const inside = i >= 0 && j >= 0 && i < layout.shown_rows && j < layout.shown_cols;
    const {w, h} = layout.size;
    return inside ? [40 + j * w, 20 + i * h, w, h] : null;
  };

  weft.pe_in_window = function (layout, x, y) {
    const [i, j] = [Math.floor((y - 20) / layout.size.h), Math.floor((x - 40) / layout.size.w)];
    const inside = i >= 0 && j >= 0 && i < layout.shown_rows && j < layout.shown_cols;
    return inside ? [weft.heat.row + i, weft.heat.col + j] : null;
  };
})(globalThis.weft);
