// The roofline: how many MACs a cycle the machine could do for so many MACs a byte, and what the
// run did. Both axes are logarithmic.
'use strict';

(function (weft) {
  const {data, el} = weft;
  const kMargin = {top: 16, right: 14, bottom: 44, left: 62};
  const kHeight = 360;
  const kRoofColors = ['#d55e00', '#0072b2', '#cc79a7', '#e69f00'];
  const kDashes = ['', '7 4', '2 4', '9 3 2 3'];

  const intensity = (point) => point.macs / point.bytes;
  const rate = (point) => point.macs / point.cycles;
  const shown = (point) => point.macs > 0 && point.cycles > 0 && point.bytes > 0;

  // Without bytes a point has no place along the axis; its height can still be told.
  function extent(points, roofs, peak) {
    const xs = points.map(intensity).concat(roofs.map((roof) => peak / roof.bytes_per_cycle));
    const [low, high] = xs.length ? d3.extent(xs) : [1, 100];
    const ys = points.map(rate).concat(peak);
    return {x: [low / 4, high * 4], y: [d3.min(ys) / 3, peak * 2]};
  }

  function scales(width, of) {
    return {
      x: d3.scaleLog().domain(of.x).range([kMargin.left, width - kMargin.right]),
      y: d3.scaleLog().domain(of.y).range([kHeight - kMargin.bottom, kMargin.top]),
    };
  }

  /** Ticks at powers of ten, or at 1, 2 and 5 if those are too few. */
  function log_ticks(scale) {
    const [low, high] = scale.domain();
    const steps = Math.log10(high / low) > 3 ? [1] : [1, 2, 5];
    const out = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); ++e) {
      for (const step of steps) out.push(step * 10 ** e);
    }
    return out.filter((tick) => tick >= low && tick <= high);
  }

  const tick_text = (value) => (value >= 1 ? weft.short(value) : String(Number(value.toPrecision(3))));

  function draw_axes(root, {x, y}, width) {
    root.append('g').attr('class', 'axis').attr('transform', `translate(0,${kHeight - kMargin.bottom})`)
      .call(d3.axisBottom(x).tickValues(log_ticks(x)).tickFormat(tick_text));
    root.append('g').attr('class', 'axis').attr('transform', `translate(${kMargin.left},0)`)
      .call(d3.axisLeft(y).tickValues(log_ticks(y)).tickFormat(tick_text)
        .tickSize(-(width - kMargin.left - kMargin.right)));
    root.append('text').attr('class', 'axis-name').attr('text-anchor', 'end')
      .attr('x', width - kMargin.right).attr('y', kHeight - 6).text('MACs for each byte moved →');
    root.append('text').attr('class', 'axis-name').attr('x', 4).attr('y', 11).text('↑ MACs a cycle');
  }

  function draw_peak(root, {x, y}, peak, from) {
    root.append('line').attr('class', 'roof peak').attr('x1', x(from)).attr('x2', x.range()[1])
      .attr('y1', y(peak)).attr('y2', y(peak));
    root.append('text').attr('class', 'roof-name halo').attr('text-anchor', 'end')
      .attr('x', x.range()[1] - 4).attr('y', y(peak) - 7)
      .text(`peak: ${weft.count(peak)} MACs a cycle`);
  }

  /** The line of a memory, up to the peak, with its name along it. */
  function draw_roof(root, {x, y}, roof, i, peak) {
    const color = kRoofColors[i % kRoofColors.length];
    const knee = Math.min(peak / roof.bytes_per_cycle, x.domain()[1]);
    const from = Math.max(x.domain()[0], y.domain()[0] / roof.bytes_per_cycle);
    if (from >= knee) return;
    const at = (value) => [x(value), y(value * roof.bytes_per_cycle)];
    const [[x1, y1], [x2, y2]] = [at(from), at(knee)];
    root.append('line').attr('class', 'roof').attr('stroke', color)
      .attr('stroke-dasharray', kDashes[i % kDashes.length])
      .attr('x1', x1).attr('y1', y1).attr('x2', x2).attr('y2', y2);
    const along = 0.32 + 0.36 * (i % 2);  // names of slopes that lie close stay apart
    const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
    root.append('text').attr('class', 'roof-name halo')
      .attr('transform', `translate(${x1 + along * (x2 - x1)},${y1 + along * (y2 - y1)}) ` +
        `rotate(${angle})`)
      .attr('text-anchor', 'middle').attr('dy', -6)
      .text(`${roof.name}: ${roof.bytes_per_cycle.toPrecision(3)} B a cycle`);
  }

  function point_words(point, roofs) {
    const roof = roofs[point.roof];
    return [point.name, `${rate(point).toPrecision(3)} MACs a cycle, ` +
      `${weft.percent(rate(point) / data.roofline.peak)} of the peak`,
    `${weft.short(point.macs)} MACs in ${weft.count(point.cycles)} cycles`,
    `${weft.short(point.bytes, 'B')}${roof ? ` over ${roof.name}` : ''}, ` +
      `${intensity(point).toPrecision(3)} MACs a byte`];
  }

  function draw_points(root, {x, y}, points, roofs) {
    const marks = root.append('g').selectAll('circle').data(points).enter().append('circle')
      .attr('class', 'point').attr('r', 5.5).attr('tabindex', 0).attr('role', 'img')
      .attr('cx', (point) => x(intensity(point))).attr('cy', (point) => y(rate(point)))
      .attr('stroke', (point) => (roofs[point.roof]
        ? kRoofColors[point.roof % kRoofColors.length] : 'currentColor'))
      .attr('aria-label', (point) => point_words(point, roofs).join(', '));
    marks.on('pointermove', (point) =>
      weft.show_tip(point_words(point, roofs), d3.event.clientX, d3.event.clientY));
    marks.on('focus', function (point) {
      const box = this.getBoundingClientRect();
      weft.show_tip(point_words(point, roofs), box.right, box.bottom);
    });
    marks.on('pointerleave', weft.hide_tip).on('blur', weft.hide_tip);
    if (points.length <= 3) name_points(root, {x, y}, points);
  }

  function name_points(root, {x, y}, points) {
    const middle = (x.range()[0] + x.range()[1]) / 2;
    for (const point of points) {
      const left = x(intensity(point)) > middle;
      root.append('text').attr('class', 'halo').attr('text-anchor', left ? 'end' : 'start')
        .attr('x', x(intensity(point)) + (left ? -10 : 10)).attr('y', y(rate(point)) + 5)
        .text(`${point.name}: ${rate(point).toPrecision(3)}`);
    }
  }

  function draw(stage, width) {
    const {roofs = [], points, peak} = data.roofline;
    const drawn = points.filter(shown);
    const at = scales(width, extent(drawn, roofs, peak));
    const root = d3.create('svg').attr('width', width).attr('height', kHeight)
      .attr('viewBox', `0 0 ${width} ${kHeight}`)
      .attr('role', 'group').attr('aria-label', 'Roofline');
    draw_axes(root, at, width);
    const knees = roofs.map((roof) => peak / roof.bytes_per_cycle);
    draw_peak(root, at, peak, knees.length ? Math.min(...knees) : at.x.domain()[0]);
    roofs.forEach((roof, i) => draw_roof(root, at, roof, i, peak));
    draw_points(root, at, drawn, roofs);
    stage.replaceChildren(root.node());
  }

  weft.draw_roofline = function () {
    const {roofline} = data;
    if (!roofline || !(roofline.peak > 0)) return;
    const ideal = !roofline.roofs || roofline.roofs.length === 0;
    const section = weft.section('roofline', 'Roofline',
      ideal ? 'Transfers take no time here, so only the peak of the array bounds the run.'
        : 'A point below a slope has no more work for each byte than its memory can feed; below ' +
          'the flat roof the array itself is the bound. The distance to the roof is lost time.');
    const stage = el('div', {class: 'stage'});
    const hidden = roofline.points.filter((point) => !shown(point));
    section.append(stage);
    if (hidden.length) {
      section.append(el('p', {class: 'hint'}, `Not drawn, since they move no bytes or do no MACs: ` +
        hidden.map((point) => point.name).join(', ')));
    }
    weft.keep_drawn(stage, (width) => draw(stage, width));
  };
})(globalThis.weft);
