// The comparison of devices: each device's speed and peak, and a table. A sweep has a curve per
// device and a cursor that selects the table's size. The kind of a row (simulated, measured,
// imported, modelled) is a shape and a word, and without a sweep also a color. In a sweep, colors and dashes
// tell the devices apart.
'use strict';

(function (weft) {
  const {data, el} = weft;
  const kMargin = {top: 24, right: 20, bottom: 40, left: 62};
  const kRow = 30;
  const kGap = 16;         // between the rows of two kinds
  const kCurves = 320;
  const kNameShare = 0.3;  // largest share of the width for the devices' names
  const kThinner = 60;     // a curve of more points has no dots

  const kKinds = {
    simulated: {color: '#0072b2', shape: d3.symbolCircle, what: "by Weft's machine"},
    measured: {color: '#009e73', shape: d3.symbolSquare, what: 'on this computer'},
    imported: {color: '#a4508b', shape: d3.symbolDiamond, what: 'from a file, measured elsewhere'},
    modelled: {color: '#d55e00', shape: d3.symbolTriangle, what: 'from published figures'},
  };
  const kDashes = ['', '7 4', '2 4', '9 3 2 3', '12 4'];
  const kHues = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#8c5a9e',
    '#9a9a9a'];

  const dash = '\u2013';
  const optional = (value, text) => (value === null || value === undefined ? dash : text(value));
  const digits = (many) => (value) => (value >= 10 ** many - 0.5 ? weft.count(value)
    : String(Number(value.toPrecision(many))));
  const tera = digits(3);
  const peak = digits(4);
  const is_number = (value) => typeof value === 'number';
  const kind_of = (row) => kKinds[row.kind];
  const kOrder = Object.keys(kKinds);

  /** The rows of one kind after those of another. */
  const by_kind = (rows) => kOrder.flatMap((kind) => rows.filter((row) => row.kind === kind));
  const begins_kind = (row, i, rows) => i > 0 && rows[i - 1].kind !== row.kind;

  const kColumns = [
    {key: 'device', name: 'device', text: (row) => row.device},
    {key: 'kind', name: 'kind', text: (row) => row.kind},
    {key: 'dtype', name: 'type', text: (row) => row.dtype ?? dash},
    {key: 'seconds', name: 'time', number: true,
      text: (row) => optional(row.seconds, weft.duration)},
    {key: 'cycles', name: 'cycles', number: true, text: (row) => optional(row.cycles, weft.count)},
    {key: 'clock_hz', name: 'clock', number: true,
      text: (row) => optional(row.clock_hz, (hz) => `${weft.count(hz / 1e6)}\u202fMHz`)},
    {key: 'tflops', name: 'TFLOP/s', number: true, text: (row) => optional(row.tflops, tera)},
    {key: 'peak_tflops', name: 'peak', number: true, text: (row) => optional(row.peak_tflops, peak)},
    {key: 'share_of_peak', name: 'of peak', number: true,
      text: (row) => weft.percent(row.share_of_peak)},
    {key: 'waste', name: 'waste', number: true, text: (row) => weft.percent(row.waste)},
    {key: 'max_abs_error', name: 'error', number: true,
      text: (row) => optional(row.max_abs_error, (error) => error.toExponential(1))},
  ];
  if (data.compare && data.compare.rows.some((row) => 'joules' in row)) {
    kColumns.push(
      {key: 'joules', name: 'energy', number: true,
        text: (row) => optional(row.joules, (value) => weft.physical(value, 'J'))},
      {key: 'watts', name: 'power', number: true,
        text: (row) => optional(row.watts, (value) => weft.physical(value, 'W'))},
      {key: 'array_mm2', name: 'area', number: true,
        text: (row) => optional(row.array_mm2, (value) => `${tera(value)}\u202fmm²`)});
  }
  if (data.compare && data.compare.rows.some((row) => 'price_per_million' in row)) {
    kColumns.push({key: 'price_per_million', name: 'price of a million', number: true,
      text: (row) => optional(row.price_per_million, (value) =>
        `${Number(value.toPrecision(4))} at ${row.price_per_hour} an hour`)});
  }

  // --- Words -----------------------------------------------------------------------------------

  function row_words(row) {
    const of_peak = is_number(row.share_of_peak)
      ? `, ${weft.percent(row.share_of_peak)} of ${peak(row.peak_tflops)}` : '';
    return [`${row.device}, ${row.kind}, ${row.dtype ?? 'type not known'}`,
      is_number(row.tflops) ? `${tera(row.tflops)} TFLOP/s${of_peak}` : 'no speed',
      is_number(row.seconds) ? weft.duration(row.seconds) : 'no time', row.basis];
  }

  function kind_legend() {
    const occurs = ([name]) => data.compare.rows.some((row) => row.kind === name);
    return el('p', {class: 'legend'}, ...Object.entries(kKinds).filter(occurs).map(([name, kind]) =>
      el('span', null, symbol_swatch(kind), `${name}: ${kind.what}`)));
  }

  /** Has no color in a sweep, where colors tell the devices apart. */
  function symbol_swatch(kind) {
    const fill = data.compare.sweep ? 'currentColor' : kind.color;
    return weft.svg('svg', {width: 14, height: 14, 'aria-hidden': 'true'},
      weft.svg('path', {transform: 'translate(7,7)', fill,
        d: d3.symbol().type(kind.shape).size(70)()}));
  }

  // --- Speed and peak --------------------------------------------------------------------------

  /** A logarithmic scale for the values that are numbers. */
  function logarithmic(values, range) {
    const [low, high] = values.some(is_number) ? d3.extent(values.filter(is_number)) : [1, 1];
    return d3.scaleLog().domain([low / 1.6, high * 1.6]).range(range);
  }

  /** Powers of ten as ticks; if there are fewer than two, a few other ticks. */
  function decades(scale) {
    const tens = scale.ticks(20).filter((tick) => /^(1|10+|0\.0*1)$/.test(String(tick)));
    return tens.length > 1 ? tens : scale.ticks(4);
  }

  /** Draws a line from a device's speed to its peak, with a mark at each end. Leaves out unknown
      values. */
  function draw_device(root, row, x, y) {
    if (is_number(row.peak_tflops)) {
      if (is_number(row.tflops)) {
        root.append('line').attr('class', 'to-peak').attr('x1', x(row.tflops))
          .attr('x2', x(row.peak_tflops)).attr('y1', y).attr('y2', y);
      }
      root.append('line').attr('class', 'peak-mark').attr('x1', x(row.peak_tflops))
        .attr('x2', x(row.peak_tflops)).attr('y1', y - 8).attr('y2', y + 8);
    }
    if (is_number(row.tflops)) draw_speed(root, row, x, y);
  }

  function draw_speed(root, row, x, y) {
    const kind = kind_of(row);
    const mark = root.append('path').attr('class', 'device-mark').attr('fill', kind.color)
      .attr('transform', `translate(${x(row.tflops)},${y})`).attr('tabindex', 0)
      .attr('role', 'img').attr('aria-label', row_words(row).join(', '))
      .attr('d', d3.symbol().type(kind.shape).size(110)());
    mark.on('pointermove', () =>
      weft.show_tip(row_words(row), d3.event.clientX, d3.event.clientY));
    mark.on('focus', function () {
      const box = this.getBoundingClientRect();
      weft.show_tip(row_words(row), box.right, box.bottom);
    });
    mark.on('pointerleave', weft.hide_tip).on('blur', weft.hide_tip);
  }

  function draw_reached(stage, width, rows) {
    const gaps = rows.map((row, i) => (begins_kind(row, i, rows) ? kGap : 0));
    const height = kMargin.top + rows.length * kRow + d3.sum(gaps) + kMargin.bottom;
    const names = rows.map((row) => weft.clipped_name(row.device));
    const left = Math.min(width * kNameShare, 16 + d3.max(names, weft.text_width));
    const values = rows.flatMap((row) => [row.tflops, row.peak_tflops]);
    const x = logarithmic(values, [left + 10, width - kMargin.right]);
    const root = d3.create('svg').attr('width', width).attr('height', height)
      .attr('viewBox', `0 0 ${width} ${height}`).attr('role', 'group')
      .attr('aria-label', 'Speed and peak of each device');
    root.append('g').attr('class', 'axis')
      .attr('transform', `translate(0,${height - kMargin.bottom})`)
      .call(d3.axisBottom(x).tickValues(decades(x)).tickFormat(tera)
        .tickSize(-(height - kMargin.bottom - kMargin.top)));
    root.append('text').attr('class', 'axis-name').attr('text-anchor', 'end')
      .attr('x', width - kMargin.right).attr('y', height - 6).text('TFLOP/s, logarithmic →');
    rows.forEach((row, i) => {
      const y = kMargin.top + (i + 0.5) * kRow + d3.sum(gaps.slice(0, i + 1));
      if (gaps[i] > 0) {
        root.append('line').attr('class', 'kind-line').attr('x1', 0).attr('x2', width)
          .attr('y1', y - (kRow + kGap) / 2).attr('y2', y - (kRow + kGap) / 2);
      }
      root.append('text').attr('x', 0).attr('y', y + 4).text(names[i]);
      draw_device(root, row, x, y);
    });
    stage.replaceChildren(root.node());
  }

  // --- Table -----------------------------------------------------------------------------------

  let sorted = {key: null, direction: 1};

  function compare_rows(a, b) {
    const [x, y] = [a[sorted.key], b[sorted.key]];
    const [no_x, no_y] = [x, y].map((value) => value === null || value === undefined);
    if (no_x || no_y) return no_x - no_y;
    return sorted.direction * (typeof x === 'number' ? x - y : x.localeCompare(y, 'en'));
  }

  function head(column, again) {
    const way = sorted.key !== column.key ? 'none'
      : sorted.direction > 0 ? 'ascending' : 'descending';
    const sort = () => {
      const same = sorted.key === column.key;
      sorted = {key: column.key, direction: same ? -sorted.direction : column.number ? -1 : 1};
      again();
      document.querySelector(`#compare-table th[data-key=${column.key}] button`).focus();
    };
    return el('th', {scope: 'col', class: column.number ? 'number' : 'text', 'data-key': column.key,
      'aria-sort': way}, weft.button(column.name, {class: 'sort'}, sort));
  }

  function cell(row, column) {
    const mark = column.key === 'kind' ? symbol_swatch(kind_of(row)) : null;
    return el('td', {class: column.number ? 'number' : 'text'}, mark, mark ? ' ' : null,
      column.text(row));
  }

  /** Fills `place` with the table of `rows`, and below it the source of each row. */
  function show_table(place, rows) {
    const again = () => show_table(place, rows);
    const ordered = sorted.key ? [...rows].sort(compare_rows) : by_kind(rows);
    const kind_class = (row, i) =>
      (!sorted.key && begins_kind(row, i, ordered) ? 'begins-kind' : null);
    place.replaceChildren(
      el('div', {class: 'scroll'}, el('table', {class: 'layers', id: 'compare-table'},
        el('thead', null, el('tr', null, ...kColumns.map((column) => head(column, again)))),
        el('tbody', null, ...ordered.map((row, i) => el('tr', {class: kind_class(row, i)},
          ...kColumns.map((column) => cell(row, column))))))),
      el('dl', {class: 'bases'}, ...ordered.flatMap((row) =>
        [el('dt', null, row.device), el('dd', null, row.basis)])));
  }

  // --- Curves ----------------------------------------------------------------------------------

  /** The rows of each device in the order of sizes. The data lists them size by size. */
  function series_of({rows, sweep}) {
    const many = rows.length / sweep.sizes.length;
    return d3.range(many).map((i) => ({row: rows[i], index: i,
      points: sweep.sizes.map((size, at) => ({size, row: rows[at * many + i]}))}));
  }

  const style_of = (index) => ({stroke: kHues[index % kHues.length],
    'stroke-dasharray': kDashes[index % kDashes.length]});

  function curve_legend(series) {
    return el('p', {class: 'legend'}, ...series.map(({row, index}) => el('span', null,
      weft.svg('svg', {width: 34, height: 12, 'aria-hidden': 'true'},
        weft.svg('line', {x1: 0, x2: 34, y1: 6, y2: 6, 'stroke-width': 2.5, ...style_of(index)})),
      `${row.device} (${[row.kind, row.dtype].filter(Boolean).join(', ')})`)));
  }

  /** All sizes as ticks if there is room for them, else round numbers. */
  function size_ticks(x, width) {
    const {sizes} = data.compare.sweep;
    const most = Math.max(3, width / 90);
    return sizes.length <= most ? sizes : x.ticks(most);
  }

  const is_linear = (y) => y.base === undefined;

  /** Linear from 0 if all values lie within a power of ten, which a logarithm would flatten. */
  function speed_scale(values, range) {
    const known = values.filter(is_number);
    const [low, high] = d3.extent(known);
    if (!known.length || high > 10 * low) return logarithmic(known, range);
    return d3.scaleLinear().domain([0, 1.05 * high]).range(range);
  }

  function curve_axes(root, x, y, width, name) {
    root.append('g').attr('class', 'axis')
      .attr('transform', `translate(0,${kCurves - kMargin.bottom})`)
      .call(d3.axisBottom(x).tickValues(size_ticks(x, width)).tickFormat(weft.count));
    root.append('g').attr('class', 'axis').attr('transform', `translate(${kMargin.left},0)`)
      .call(d3.axisLeft(y).tickValues(is_linear(y) ? y.ticks(6) : decades(y)).tickFormat(tera)
        .tickSize(-(width - kMargin.left - kMargin.right)));
    root.append('text').attr('class', 'axis-name').attr('x', 4).attr('y', 12)
      .text(is_linear(y) ? 'TFLOP/s' : 'TFLOP/s, logarithmic');
    root.append('text').attr('class', 'axis-name').attr('text-anchor', 'end')
      .attr('x', width - kMargin.right).attr('y', kCurves - 6).text(`${name} →`);
  }

  function draw_curves(stage, width, series, at) {
    const {sizes, dimension} = data.compare.sweep;
    const x = d3.scaleLinear().domain(d3.extent(sizes))
      .range([kMargin.left, width - kMargin.right]);
    const values = data.compare.rows.map((row) => row.tflops);
    const y = speed_scale(values, [kCurves - kMargin.bottom, kMargin.top]);
    const root = d3.create('svg').attr('width', width).attr('height', kCurves)
      .attr('viewBox', `0 0 ${width} ${kCurves}`).attr('role', 'img')
      .attr('aria-label', `Speed over ${dimension.toUpperCase()}`);
    curve_axes(root, x, y, width, dimension.toUpperCase());
    for (const {points, index} of series) {
      const style = style_of(index);
      root.append('path').attr('class', 'curve').attr('stroke', style.stroke)
        .attr('stroke-dasharray', style['stroke-dasharray'])
        .attr('d', d3.line().defined((p) => is_number(p.row.tflops)).x((p) => x(p.size))
          .y((p) => y(p.row.tflops))(points) ?? '');
      if (points.length > kThinner) continue;
      root.append('g').selectAll('path').data(points.filter((p) => is_number(p.row.tflops)))
        .enter().append('path')
        .attr('fill', style.stroke).attr('class', 'dot')
        .attr('d', (p) => d3.symbol().type(kind_of(p.row).shape).size(36)())
        .attr('transform', (p) => `translate(${x(p.size)},${y(p.row.tflops)})`);
    }
    root.append('line').attr('class', 'cursor').attr('x1', x(sizes[at])).attr('x2', x(sizes[at]))
      .attr('y1', kMargin.top).attr('y2', kCurves - kMargin.bottom);
    stage.replaceChildren(root.node());
    return x;
  }

  const kSteps = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity,
    End: Infinity};

  /** Keys and the pointer move the cursor; `move` receives the index of a size. */
  function listen(stage, cursor, move) {
    stage.addEventListener('keydown', (event) => {
      const step = kSteps[event.key];
      if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      move(cursor.at + step);
    });
    stage.addEventListener('pointerdown', (event) => {
      const size = cursor.x.invert(event.clientX - stage.getBoundingClientRect().left);
      move(d3.scan(data.compare.sweep.sizes, (a, b) => Math.abs(a - size) - Math.abs(b - size)));
    });
  }

  function draw_sweep(section) {
    const {sizes, dimension} = data.compare.sweep;
    const series = series_of(data.compare);
    const stage = el('div', {class: 'stage curves', id: 'curves', tabindex: 0, role: 'slider',
      'aria-label': `Size of ${dimension.toUpperCase()}`, 'aria-valuemin': sizes[0],
      'aria-valuemax': sizes[sizes.length - 1]});
    const chosen = el('h3', {id: 'chosen-size'});
    const table = el('div');
    const cursor = {at: sizes.length - 1, x: null};
    const show = () => {
      stage.setAttribute('aria-valuenow', sizes[cursor.at]);
      chosen.textContent = `${dimension.toUpperCase()} = ${weft.count(sizes[cursor.at])}`;
      show_table(table, series.map(({points}) => points[cursor.at].row));
    };
    const redraw = (width) => { cursor.x = draw_curves(stage, width, series, cursor.at); };
    const keys = [kind_legend(), curve_legend(series)];
    section.append(...keys, stage,
      el('p', {class: 'hint'}, 'Click, or focus the chart and press ← →, to choose a size.'),
      chosen, table);
    weft.let_save(section, () => [...keys, stage]);
    weft.keep_drawn(stage, redraw);
    listen(stage, cursor, (at) => {
      cursor.at = Math.max(0, Math.min(sizes.length - 1, at));
      redraw(Math.floor(stage.clientWidth));
      show();
    });
    show();
  }

  // --- The sections ----------------------------------------------------------------------------

  const kLead = 'A row is simulated, measured, imported or modelled. Do not mix the kinds: a model ' +
    'knows only what is published about a device. ';
  const kEnergy = 'The energy of a simulated row is that of its events and its static power; of a ' +
    'modelled row, the rated power of the board times the time, an upper bound. ';

  function draw_single(section) {
    const stage = el('div', {class: 'stage', id: 'reached'});
    const table = el('div');
    const key = kind_legend();
    section.append(key, stage, table);
    weft.let_save(section, () => [key, stage]);
    weft.keep_drawn(stage, (width) => draw_reached(stage, width, by_kind(data.compare.rows)));
    show_table(table, data.compare.rows);
  }

  weft.draw_compare = function () {
    if (!data.compare) return;
    const with_energy = kColumns.some((column) => column.key === 'joules');
    const lead = kLead + (with_energy ? kEnergy : '');
    const section = weft.section('compare', 'Devices', lead + (data.compare.sweep
      ? 'The table shows the size at the cursor.'
      : 'A line leads from the speed of a device to its peak; int8 counts operations.'));
    if (data.compare.sweep) draw_sweep(section);
    else draw_single(section);
  };
})(globalThis.weft);
