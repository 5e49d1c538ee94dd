// The roofline: the MACs per cycle that the machine can do at a number of MACs per byte, and what
// the run did. Both axes are logarithmic.
'use strict';

(function (weft) {
  const {data, el} = weft;
  const kMargin = {top: 16, right: 14, bottom: 44, left: 62};
  const kHeight = 380;
  const kRadius = [4, 9];    // for the fewest and the most cycles
  const kMostStops = 40;     // points that the tab key reaches
  const kFew = 3;
  const kMostHidden = 12;    // names of points that are listed as not drawn
  const kRoofColors = ['#d55e00', '#0072b2', '#cc79a7', '#e69f00'];
  const kDashes = ['', '7 4', '2 4', '9 3 2 3'];
  const kAlong = [0.3, 0.45, 0.6, 0.75, 0.15];  // possible places of a slope's name

  const intensity = (point) => point.macs / point.bytes;
  const rate = (point) => point.macs / point.cycles;
  const shown = (point) => point.macs > 0 && point.cycles > 0 && point.bytes > 0;
  const color_of = (roof) => kRoofColors[roof % kRoofColors.length];

  // --- Scales and axes -------------------------------------------------------------------------

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

  /** Ticks at powers of ten, or at 1, 2 and 5 if these are too few. */
  function log_ticks(scale) {
    const [low, high] = scale.domain();
    const steps = Math.log10(high / low) > 3 ? [1] : [1, 2, 5];
    const out = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); ++e) {
      for (const step of steps) out.push(step * 10 ** e);
    }
    return out.filter((tick) => tick >= low && tick <= high);
  }

  const three_digits = (value) =>
    (value >= 1000 ? weft.short(value) : String(Number(value.toPrecision(3))));

  function draw_axes(root, {x, y}, width) {
    const bottom = kHeight - kMargin.bottom;
    root.append('g').attr('class', 'axis').attr('transform', `translate(0,${bottom})`)
      .call(d3.axisBottom(x).tickValues(log_ticks(x)).tickFormat(three_digits));
    root.append('g').attr('class', 'axis').attr('transform', `translate(${kMargin.left},0)`)
      .call(d3.axisLeft(y).tickValues(log_ticks(y)).tickFormat(three_digits)
        .tickSize(-(width - kMargin.left - kMargin.right)));
    const name = (at, text) => root.append('text').attr('class', 'axis-name').attr('x', at.x)
      .attr('y', at.y).attr('text-anchor', at.anchor).text(text);
    name({x: width - kMargin.right, y: kHeight - 6, anchor: 'end'}, 'MACs per byte moved →');
    name({x: 4, y: 11, anchor: 'start'}, '↑ MACs per cycle');
  }

  // --- Roofs -----------------------------------------------------------------------------------

  /** Draws the flat roof. Returns the boxes of the line and of its name. */
  function draw_peak(root, {x, y}, peak, from) {
    root.append('line').attr('class', 'roof peak').attr('x1', x(from)).attr('x2', x.range()[1])
      .attr('y1', y(peak)).attr('y2', y(peak));
    const text = `peak: ${weft.count(peak)} MACs per cycle`;
    const right = x.range()[1] - 4;
    root.append('text').attr('class', 'roof-name halo').attr('text-anchor', 'end')
      .attr('x', right).attr('y', y(peak) - 7).text(text);
    const width = weft.text_width(text);
    return [{x: right - width, y: y(peak) - 22, width, height: 24},
      {x: x(from), y: y(peak) - 2, width: right - x(from), height: 4}];
  }

  /** The slope of a memory up to the peak, in pixels; null if it lies outside the chart. */
  function slope({x, y}, roof, peak) {
    const knee = Math.min(peak / roof.bytes_per_cycle, x.domain()[1]);
    const from = Math.max(x.domain()[0], y.domain()[0] / roof.bytes_per_cycle);
    if (from >= knee) return null;
    const at = (value) => [x(value), y(value * roof.bytes_per_cycle)];
    return [at(from), at(knee)];
  }

  /** Draws the line of a memory with its name along it. Returns the boxes of the name. */
  function draw_roof(root, ends, roof, i, taken, area) {
    const [[x1, y1], [x2, y2]] = ends;
    root.append('line').attr('class', 'roof').attr('stroke', color_of(i))
      .attr('stroke-dasharray', kDashes[i % kDashes.length])
      .attr('x1', x1).attr('y1', y1).attr('x2', x2).attr('y2', y2);
    const text = `${roof.name}: ${three_digits(roof.bytes_per_cycle)} B per cycle`;
    const place = place_on_slope(ends, i % 2 ? 14 : -8, text, {taken, area});
    root.append('text').attr('class', 'roof-name halo').attr('text-anchor', 'middle')
      .attr('transform', `translate(${place.x},${place.y}) rotate(${place.angle * 180 / Math.PI})`)
      .attr('dy', 4).text(text);
    return place.boxes;
  }

  /** Finds the place beside the line where the name covers least and stays in the chart. */
  function place_on_slope([[x1, y1], [x2, y2]], aside, text, {taken, area}) {
    const angle = Math.atan2(y2 - y1, x2 - x1);
    const places = kAlong.map((along) => {
      const x = x1 + along * (x2 - x1) - aside * Math.sin(angle);
      const y = y1 + along * (y2 - y1) + aside * Math.cos(angle);
      const boxes = weft.slanted_boxes(x, y, angle, text);
      const covered = weft.count_overlaps(boxes, taken) + weft.count_outside(boxes, area);
      return {x, y, angle, boxes, covered};
    });
    return places.reduce((best, each) => (each.covered < best.covered ? each : best));
  }

  // --- Points ----------------------------------------------------------------------------------

  function point_words(point, roofs) {
    const roof = roofs[point.roof];
    return [point.name, `${three_digits(rate(point))} MACs per cycle, ` +
      `${weft.percent(rate(point) / data.roofline.peak)} of the peak`,
    `${weft.short(point.macs)} MACs in ${weft.count(point.cycles)} cycles`,
    `${weft.short(point.bytes, 'B')}${roof ? ` over ${roof.name}` : ''}, ` +
      `${three_digits(intensity(point))} MACs per byte`];
  }

  /** The name of a point. If there are few points, the name includes the rate. */
  function name_of(point, points) {
    const name = weft.clipped_name(point.name);
    return points.length > kFew ? name : `${name}: ${three_digits(rate(point))}`;
  }

  /** Points as circles, the most cycles first. */
  function marks_of(points, {x, y}) {
    const most = d3.max(points, (point) => point.cycles) || 1;
    const radius = points.length > 1 ? d3.scaleSqrt().domain([0, most]).range(kRadius) : () => 6;
    return points.map((point) => ({point, x: x(intensity(point)), y: y(rate(point)),
      radius: radius(point.cycles), text: name_of(point, points)}))
      .sort((a, b) => b.point.cycles - a.point.cycles);
  }

  function draw_points(root, marks, roofs) {
    const circles = root.append('g').selectAll('circle').data(marks).enter().append('circle')
      .attr('class', 'point').attr('r', (mark) => mark.radius).attr('role', 'img')
      .attr('tabindex', (mark, i) => (i < kMostStops ? 0 : null))
      .attr('cx', (mark) => mark.x).attr('cy', (mark) => mark.y)
      .attr('stroke', ({point}) => (roofs[point.roof] ? color_of(point.roof) : 'currentColor'))
      .attr('aria-label', ({point}) => point_words(point, roofs).join(', '));
    circles.on('pointermove', ({point}) =>
      weft.show_tip(point_words(point, roofs), d3.event.clientX, d3.event.clientY));
    circles.on('focus', function ({point}) {
      const box = this.getBoundingClientRect();
      weft.show_tip(point_words(point, roofs), box.right, box.bottom);
    });
    circles.on('pointerleave', weft.hide_tip).on('blur', weft.hide_tip);
  }

  function draw_names(root, marks, taken, area) {
    weft.place_names(marks, taken, area).forEach((box, i) => {
      if (!box) return;
      root.append('text').attr('class', 'point-name halo').attr('x', box.x).attr('y', box.y + 12)
        .text(marks[i].text);
    });
  }

  // --- The section -----------------------------------------------------------------------------

  function draw(stage, width) {
    const {roofs = [], points, peak} = data.roofline;
    const drawn = points.filter(shown);
    const at = scales(width, extent(drawn, roofs, peak));
    const marks = marks_of(drawn, at);
    const root = d3.create('svg').attr('width', width).attr('height', kHeight)
      .attr('viewBox', `0 0 ${width} ${kHeight}`)
      .attr('role', 'group').attr('aria-label', 'Roofline');
    draw_axes(root, at, width);
    const knees = roofs.map((roof) => peak / roof.bytes_per_cycle);
    const from = knees.length ? Math.min(...knees) : at.x.domain()[0];
    const area = {x: kMargin.left, y: kMargin.top, width: width - kMargin.left - 4,
      height: kHeight - kMargin.bottom - kMargin.top};
    const taken = draw_peak(root, at, peak, from);
    const circles = marks.map(weft.box_of_circle);
    const lines = [];  // of the slopes; another slope's name may cover them
    roofs.forEach((roof, i) => {
      const ends = slope(at, roof, peak);
      if (!ends) return;
      taken.push(...draw_roof(root, ends, roof, i, [...circles, ...taken], area));
      lines.push(...weft.boxes_on_line(...ends));
    });
    draw_points(root, marks, roofs);
    draw_names(root, marks, [...taken, ...lines], area);
    stage.replaceChildren(root.node());
  }

  function lead(roofline) {
    const ideal = !roofline.roofs || roofline.roofs.length === 0;
    const bound = ideal
      ? 'Transfers take no time here, so only the peak of the array bounds the run.'
      : 'Below a slope, the memory is the bound: each byte brings too little work. Below the ' +
        'flat roof, the array is the bound. The distance to the roof is lost time.';
    if (new Set(roofline.points.filter(shown).map(({name}) => name)).size <= 1) return bound;
    const early = ideal ? '' : ' A layer can lie above its roof: transfers during the previous ' +
      'layer are not in its own cycles.';
    return `${bound} A larger circle took more cycles.${early}`;
  }

  function hidden_words(names) {
    const more = names.length - kMostHidden;
    return `Not drawn, since they move no bytes or do no MACs: ${names.slice(0, kMostHidden)
      .join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
  }

  weft.draw_roofline = function () {
    const {roofline} = data;
    if (!roofline || !(roofline.peak > 0)) return;
    const section = weft.section('roofline', 'Roofline', lead(roofline));
    const stage = el('div', {class: 'stage'});
    const hidden = new Set(roofline.points.filter((point) => !shown(point)).map(({name}) => name));
    section.append(stage);
    weft.let_save(section, () => [stage]);
    if (hidden.size) section.append(el('p', {class: 'hint'}, hidden_words([...hidden])));
    weft.keep_drawn(stage, (width) => draw(stage, width));
  };
})(globalThis.weft);
