// The sweep of one dimension: cycles and padding over the size. Marks show the multiples of the
// tile, where one more element starts another tile.
'use strict';

(function (weft) {
  const {data, el} = weft;
  const kMargin = {top: 22, right: 14, bottom: 26, left: 62};
  const kHeight = 170;
  const kMostMarks = 24;

  function multiples(tile, [low, high]) {
    if (!tile) return [];
    const first = Math.ceil(low / tile);
    const last = Math.floor(high / tile);
    const stride = Math.max(1, Math.ceil((last - first + 1) / kMostMarks));
    const out = [];
    for (let i = first; i <= last; ++i) if (i % stride === 0) out.push(i * tile);
    return out;
  }

  function panel(width, points, x, kind) {
    const y = d3.scaleLinear().domain([0, Math.max(kind.least, d3.max(points, kind.value))]).nice()
      .range([kHeight - kMargin.bottom, kMargin.top]);
    const root = d3.create('svg').attr('width', width).attr('height', kHeight)
      .attr('viewBox', `0 0 ${width} ${kHeight}`)
      .attr('role', 'img').attr('aria-label', kind.name);
    draw_cliffs(root, x);
    root.append('g').attr('class', 'axis')
      .attr('transform', `translate(0,${kHeight - kMargin.bottom})`)
      .call(d3.axisBottom(x).ticks(Math.max(3, width / 90)).tickFormat(tick_text));
    root.append('g').attr('class', 'axis').attr('transform', `translate(${kMargin.left},0)`)
      .call(d3.axisLeft(y).ticks(4).tickFormat(kind.text));
    root.append('text').attr('class', 'axis-name').attr('x', kMargin.left).attr('y', 12)
      .text(kind.name);
    root.append('path').attr('class', 'curve').attr('stroke', kind.color)
      .attr('d', d3.line().x((point) => x(point.size)).y((point) => y(kind.value(point)))(points));
    draw_dots(root, points, x, y, kind);
    return root.node();
  }

  function draw_cliffs(root, x) {
    for (const size of multiples(data.sweep.tile, x.domain())) {
      root.append('line').attr('class', 'cliff').attr('x1', x(size)).attr('x2', x(size))
        .attr('y1', kMargin.top).attr('y2', kHeight - kMargin.bottom);
    }
  }

  function draw_dots(root, points, x, y, kind) {
    if (points.length > 150) return;
    root.append('g').selectAll('circle').data(points).enter().append('circle')
      .attr('r', 3).attr('fill', kind.color).attr('class', 'dot')
      .attr('cx', (point) => x(point.size)).attr('cy', (point) => y(kind.value(point)));
  }

  const value_text = (value) => (Number.isInteger(value) ? weft.count(value) : String(value));

  /** No tick stands between two values of a whole number. */
  const tick_text = (value) => (Number.isInteger(value) ||
    data.sweep.points.some(({size}) => !Number.isInteger(size)) ? value_text(value) : '');

  /** True for a size of a product or convolution; else a key of the machine is swept, or the batch. */
  const is_size = () => data.sweep.dimension.length === 1;

  /** The name of the swept size: N of a product, the filters of a convolution. */
  const swept_name = () => data.sweep.counts ||
    (is_size() ? data.sweep.dimension.toUpperCase() : data.sweep.dimension);

  function point_words(point) {
    const {tile} = data.sweep;
    const tiles = tile ? `, ${weft.plural(Math.ceil(point.size / tile), 'tile')} of ${tile}` : '';
    const each = point.cycles_per_image === null || point.cycles_per_image === undefined ? ''
      : `, ${weft.short(point.cycles_per_image)} for each image`;
    return [`${swept_name()} = ${value_text(point.size)}${tiles}`,
    weft.plural(point.cycles, 'cycle') + each,
    `${weft.percent(point.waste)} padding, ${weft.percent(point.utilization)} used`];
  }

  function draw(stage, width) {
    const points = data.sweep.points.filter((point) => point.cycles !== null)
      .sort((a, b) => a.size - b.size);
    const x = d3.scaleLinear().domain(d3.extent(points, (point) => point.size))
      .range([kMargin.left, width - kMargin.right]);
    const per_image = points.some((point) => typeof point.cycles_per_image === 'number');
    stage.replaceChildren(
      panel(width, points, x, {name: 'cycles', value: (point) => point.cycles, color: '#0072b2',
        least: 1, text: (value) => weft.short(value)}),
      ...(per_image ? [panel(width, points, x, {name: 'cycles for each image', color: '#009e73',
        value: (point) => point.cycles_per_image, least: 1, text: (value) => weft.short(value)})]
        : []),
      panel(width, points, x, {name: 'padding waste', value: (point) => point.waste,
        color: '#d55e00', least: 0.01, text: (value) => weft.percent(value, 0)}));
    weft.tell_nearest(stage, x, points, (point) => point.size, point_words);
  }

  weft.draw_sweep = function () {
    const {sweep} = data;
    if (!sweep || !sweep.points || sweep.points.length === 0) return;
    const name = swept_name();
    const title = sweep.counts ? `What if there were other numbers of ${name}`
      : `What if ${name} were different`;
    const lead = sweep.counts ? `The same convolution with other numbers of ${name}. `
      : `The same product for other sizes of ${name}. `;
    const section = weft.section('sweep', title, !is_size()
      ? `The same ${sweep.workload} with other values.` : lead + (sweep.tile
      ? `A dotted line is a multiple of ${sweep.tile}, the side of a tile: one more ` +
        'starts another tile, nearly empty.' : 'Rows are not cut into tiles.'));
    const stage = el('div', {class: 'stage sweep'});
    section.append(stage);
    weft.let_save(section, () => [stage]);
    weft.keep_drawn(stage, (width) => draw(stage, width));
  };
})(globalThis.weft);
