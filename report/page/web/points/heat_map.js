// The heat map: two columns of what was asked for span a grid, and a cell shows the best of its
// points in one figure.
'use strict';

(function (weft) {
  const {el, points} = weft;
  if (!points) return;
  const kMostBins = 40;      // along a side; neighboring values share a bin beyond
  const kCell = {least: 16, most: 40};
  const kMargin = {top: 34, right: 12, bottom: 66};
  const kTextFrom = 46;      // pixels of a cell's width that hold a number
  const kScaleSteps = 48;

  let grid = null;           // {x, y, figure, best, many, rows, color}

  // --- Cells -------------------------------------------------------------------------------

  /** Bins of a column's values: {bin: of each row, labels}. Without a column, one bin. */
  function bins_of(column) {
    if (!column) return {bin: new Uint16Array(points.count), labels: [''], width: 1};
    const values = weft.distinct(column, points.rows);
    const width = Math.ceil(values.length / kMostBins);
    const places = new Map(values.map((value, i) => [value, Math.floor(i / width)]));
    const bin = Uint16Array.from(column.values, (value) => places.get(value) ?? 0xffff);
    const labels = d3.range(Math.ceil(values.length / width)).map((i) => {
      const [low, high] = [values[i * width], values[Math.min(values.length, (i + 1) * width) - 1]];
      const text = weft.value_text(column, low);
      return low === high ? text : `${text}\u2013${weft.value_text(column, high)}`;
    });
    return {bin, labels, width};
  }

  /** The best of each cell among `rows`, and how many points it has. */
  function fill_cells(rows) {
    const {x, y, figure, best, many} = grid;
    const way = figure.metric.more_is_better ? -1 : 1;
    best.fill(-1);
    many.fill(0);
    for (const row of rows) {
      const value = figure.values[row];
      const [across, down] = [x.bin[row], y.bin[row]];
      if (Number.isNaN(value) || across === 0xffff || down === 0xffff) continue;
      const cell = down * x.labels.length + across;
      ++many[cell];
      if (best[cell] < 0 || way * value < way * figure.values[best[cell]]) best[cell] = row;
    }
  }

  function make_grid(x_column, y_column, figure) {
    const [x, y] = [bins_of(x_column), bins_of(y_column)];
    const cells = x.labels.length * y.labels.length;
    grid = {x, y, x_column, y_column, figure, best: new Int32Array(cells),
      many: new Uint32Array(cells), at: -1};
    fill_cells(points.rows);
    // Colors are those of all points, so that they stay while the reader brushes.
    const values = [...grid.best].filter((row) => row >= 0);
    const scale = weft.column_scale(figure, values, [0, 1]);
    const good = figure.metric.more_is_better ? scale.to : (value) => 1 - scale.to(value);
    grid.color = (value) => d3.interpolateViridis(Math.max(0, Math.min(1, good(value))));
    grid.ends = figure.metric.more_is_better ? [...scale.domain] : [...scale.domain].reverse();
    grid.dark = (value) => good(value) < 0.55;
    fill_cells(points.shown);
  }

  // --- Drawing -----------------------------------------------------------------------------

  let layout = null;

  function lay_out(width) {
    const {x, y} = grid;
    const longest = Math.max(...y.labels.map((text) => text.length), 2);
    const left = Math.min(130, 14 + 6.4 * longest);
    const cell = Math.min(90, (width - left - kMargin.right) / x.labels.length);
    const tall = Math.max(kCell.least, Math.min(kCell.most, 380 / y.labels.length));
    layout = {left, top: kMargin.top, cell, tall, width,
      height: kMargin.top + tall * y.labels.length + kMargin.bottom};
  }

  const box_of = (cell) => [layout.left + (cell % grid.x.labels.length) * layout.cell,
    layout.top + Math.floor(cell / grid.x.labels.length) * layout.tall];

  function draw_cell(context, cell) {
    const row = grid.best[cell];
    const [x, y] = box_of(cell);
    const {panel} = weft.colors();
    const value = row < 0 ? NaN : grid.figure.values[row];
    context.fillStyle = row < 0 ? panel : grid.color(value);
    context.fillRect(x, y, layout.cell - 1, layout.tall - 1);
    if (row < 0 || layout.cell < kTextFrom) return;
    weft.canvas_text(context, weft.value_text(grid.figure, value), x + layout.cell / 2,
      y + layout.tall / 2, 'center', grid.dark(value) ? '#ffffff' : '#10151b');
  }

  function draw_names(context) {
    const {ink, soft} = weft.colors();
    const {x, y, x_column, y_column} = grid;
    const bottom = layout.top + layout.tall * y.labels.length;
    const every = Math.ceil((6.4 * Math.max(...x.labels.map((text) => text.length)) + 8) /
      layout.cell);
    x.labels.forEach((text, i) => {
      if (i % every) return;
      weft.canvas_text(context, text, layout.left + (i + 0.5) * layout.cell, bottom + 12, 'center',
        ink);
    });
    y.labels.forEach((text, i) => weft.canvas_text(context, weft.clipped_name(text, 18),
      layout.left - 6, layout.top + (i + 0.5) * layout.tall, 'right', ink));
    weft.canvas_text(context, x_column.label, layout.left, bottom + 30, 'left', soft, 12);
    if (y_column) weft.canvas_text(context, y_column.label, 2, layout.top - 16, 'left', soft, 12);
  }

  /** The colors from the worst to the best value. */
  function draw_scale(context) {
    const {soft} = weft.colors();
    const {figure, ends} = grid;
    const y = layout.height - 22;
    const step = 150 / kScaleSteps;
    const worst = weft.value_text(figure, ends[0]);
    const from = layout.left + 6.4 * worst.length + 8;
    weft.canvas_text(context, worst, from - 6, y + 6, 'right', soft);
    for (let i = 0; i < kScaleSteps; ++i) {
      context.fillStyle = d3.interpolateViridis(i / (kScaleSteps - 1));
      context.fillRect(from + i * step, y, step + 0.5, 12);
    }
    weft.canvas_text(context, `${weft.value_text(figure, ends[1])}  ${figure.label}`,
      from + 156, y + 6, 'left', soft);
  }

  function draw(context) {
    const {accent, ink} = weft.colors();
    for (let cell = 0; cell < grid.best.length; ++cell) draw_cell(context, cell);
    const outline = (cell, color, width) => {
      const [x, y] = box_of(cell);
      context.strokeStyle = color;
      context.lineWidth = width;
      context.strokeRect(x - 0.5, y - 0.5, layout.cell, layout.tall);
    };
    draw_names(context);
    draw_scale(context);
    const best = best_cell();
    if (best >= 0) outline(best, accent, 3);
    if (grid.at >= 0) outline(grid.at, ink, 2);
  }

  function best_cell() {
    const {figure, best} = grid;
    const way = figure.metric.more_is_better ? -1 : 1;
    return best.reduce((found, row, cell) => (row >= 0 && (found < 0 ||
      way * figure.values[row] < way * figure.values[best[found]]) ? cell : found), -1);
  }

  // --- Words -------------------------------------------------------------------------------

  function cell_words(cell) {
    const {x, y, x_column, y_column, figure, best, many} = grid;
    const across = x.labels.length;
    const place = [`${x_column.label} ${x.labels[cell % across]}`,
      ...(y_column ? [`${y_column.label} ${y.labels[Math.floor(cell / across)]}`] : [])].join(', ');
    if (best[cell] < 0) return [place, 'no point is shown'];
    const value = weft.point_text(figure, best[cell]);
    return [place, many[cell] === 1 ? `${figure.label}: ${value}`
      : `${figure.label}: ${value}, the best of ${weft.plural(many[cell], 'point')}`];
  }

  function summary() {
    const most = Math.max(...grid.many);
    const filled = grid.many.filter((many) => many > 0).length;
    const cells = `${weft.plural(filled, 'cell')} of ${weft.count(grid.many.length)} ` +
      `${filled === 1 ? 'has' : 'have'} points.`;
    const widths = [[grid.x_column, grid.x.width], [grid.y_column, grid.y.width]]
      .filter(([, width]) => width > 1).map(([{label}, width]) =>
        ` A cell spans ${width} values of ${label}.`).join('');
    return cells + (most > 1 ? ` A cell with several points shows the best; one has up to ` +
      `${weft.count(most)}.` : '') + widths;
  }

  // --- Pointer and keys --------------------------------------------------------------------

  function cell_at(event, canvas) {
    const box = canvas.getBoundingClientRect();
    const x = Math.floor((event.clientX - box.left - layout.left) / layout.cell);
    const y = Math.floor((event.clientY - box.top - layout.top) / layout.tall);
    const inside = x >= 0 && x < grid.x.labels.length && y >= 0 && y < grid.y.labels.length;
    return inside ? y * grid.x.labels.length + x : -1;
  }

  function let_point(canvas, told, paint) {
    const go = (cell) => {
      grid.at = cell;
      told.textContent = cell < 0 ? '' : cell_words(cell).join(': ');
      paint();
    };
    canvas.addEventListener('pointermove', (event) => {
      const cell = cell_at(event, canvas);
      weft.show_tip(cell < 0 ? null : cell_words(cell), event.clientX, event.clientY);
    });
    canvas.addEventListener('pointerleave', weft.hide_tip);
    canvas.addEventListener('click', (event) => {
      const cell = cell_at(event, canvas);
      go(cell);
      if (cell >= 0 && grid.best[cell] >= 0) weft.choose_point(grid.best[cell]);
    });
    canvas.addEventListener('keydown', (event) => {
      const across = grid.x.labels.length;
      const down = grid.y.labels.length;
      const [dx, dy] = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1],
        ArrowDown: [0, 1], Enter: [0, 0]}[event.key] || [];
      if (dx === undefined) return;
      event.preventDefault();
      const at = Math.max(0, grid.at);
      const limit = (value, most) => Math.max(0, Math.min(most - 1, value));
      go(limit(Math.floor(at / across) + dy, down) * across + limit(at % across + dx, across));
      if (event.key === 'Enter' && grid.best[grid.at] >= 0) weft.choose_point(grid.best[grid.at]);
    });
  }

  // --- The section -------------------------------------------------------------------------

  const options = (columns) => columns.map(({name, label}) => el('option', {value: name}, label));

  weft.draw_heat_map = function () {
    const section = weft.section('heat', 'Heat map',
      'Two keys and the best figure of the points that share them. Choose a cell to see the ' +
      'command of its best point.');
    const [across, up, figure] = ['heat-x', 'heat-y', 'heat-figure'].map((id) => el('select', {id}));
    const stage = el('div', {class: 'stage'});
    const canvas = el('canvas', {id: 'heat-canvas', tabindex: 0, role: 'img'});
    const said = el('p', {class: 'hint', id: 'heat-words'});
    const told = el('p', {'class': 'readout', 'id': 'heat-cell', 'aria-live': 'polite'});
    let width = 0;
    const paint = () => {
      if (!grid || width === 0 || section.hidden) return;
      fill_cells(points.shown);
      said.textContent = summary();
      canvas.setAttribute('aria-label', `Heat map: ${said.textContent}`);
      weft.paint_canvas(canvas, width, layout.height, draw);
    };
    const again = () => {
      if (section.hidden) return;
      const column = (select) => points.by_name.get(select.value) || null;
      make_grid(column(across), column(up), column(figure));
      told.textContent = '';
      if (width > 0) lay_out(width);
      paint();
    };
    for (const select of [across, up, figure]) select.addEventListener('change', again);
    section.append(el('div', {class: 'controls'}, el('label', null, 'Across ', across),
      el('label', null, 'Down ', up), el('label', null, 'Figure ', figure)), stage, said, told);
    stage.append(canvas);
    let_point(canvas, told, paint);
    weft.let_save(section, () => [stage],
      () => [across, up, figure].map((select) => select.value).join(' '));
    weft.on('work', () => {
      const keys = weft.swept_columns().filter((column) => weft.varies(column, points.rows));
      const figures = weft.metric_columns().filter((column) => weft.varies(column, points.rows));
      grid = null;
      section.hidden = keys.length === 0 || figures.length === 0;
      if (section.hidden) return;
      across.replaceChildren(...options(keys));
      up.replaceChildren(...options(keys), el('option', {value: ''}, '(none)'));
      figure.replaceChildren(...options(figures));
      [across.value, up.value] = [keys[0].name, keys[1] ? keys[1].name : ''];
      figure.value = (points.weighed.find((each) => figures.includes(each)) || figures[0]).name;
      again();
    });
    weft.on('points', () => weft.draw_soon('heat', paint));
    weft.keep_drawn(stage, (wide) => {
      width = wide;
      if (grid) lay_out(width);
      paint();
    });
  };

  /** The cells as {x, y, value, many}; for tests. */
  weft.heat_cells = () => [...grid.best].map((row, cell) => ({
    x: grid.x.labels[cell % grid.x.labels.length],
    y: grid.y.labels[Math.floor(cell / grid.x.labels.length)],
    value: row < 0 ? null : grid.figure.values[row], many: grid.many[cell]}));
})(globalThis.weft);
