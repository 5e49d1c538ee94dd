// The Pareto front: points that no other beats in two figures.
'use strict';

(function (weft) {
  const {el, points} = weft;
  if (!points) return;
  const kHeight = 400;
  const kMargin = {top: 34, right: 18, bottom: 44, left: 68};
  const kNear = 14;      // pixels; a pointer farther away is at no point
  const kDot = 2;        // half the side of a point's square
  const kMark = 5;       // half the width of a mark on the front

  points.front = [];                               // rows, ascending by x
  points.on_front = new Uint8Array(points.count);  // 1: on the front
  points.weighed = weft.data.points.front.map((name) => points.by_name.get(name));

  // --- The front -------------------------------------------------------------------------------

  let order = [];  // rows that have both figures, by x and then by y

  const sign = ({metric}) => (metric.more_is_better ? -1 : 1);

  function sort_rows() {
    const [x, y] = points.weighed;
    const [sx, sy] = [sign(x), sign(y)];
    order = [...points.rows].filter((row) =>
      !Number.isNaN(x.values[row]) && !Number.isNaN(y.values[row]));
    order.sort((a, b) => sx * (x.values[a] - x.values[b]) || sy * (y.values[a] - y.values[b]) ||
      a - b);
  }

  /** Of the shown points, those that no other beats; of equal points the first. */
  function find_front() {
    const [, y] = points.weighed;
    const way = sign(y);
    let best = Infinity;
    for (const row of points.front) points.on_front[row] = 0;
    points.front = [];
    for (const row of order) {
      if (!points.mask[row] || !(way * y.values[row] < best)) continue;
      best = way * y.values[row];
      points.on_front[row] = 1;
      points.front.push(row);
    }
  }

  // --- Drawing ---------------------------------------------------------------------------------

  let scales = null;
  const places = {x: new Float32Array(points.count), y: new Float32Array(points.count)};

  function set_scales(width) {
    const [x, y] = points.weighed;
    const area = {left: kMargin.left, right: width - kMargin.right, top: kMargin.top,
      bottom: kHeight - kMargin.bottom};
    scales = {area, width,
      x: weft.column_scale(x, order, [area.left, area.right],
        {most: Math.max(3, width / 110), room: 56, pad: 10}),
      y: weft.column_scale(y, order, [area.bottom, area.top], {most: 7, pad: 10})};
    for (const row of order) {
      places.x[row] = scales.x.to(x.values[row]);
      places.y[row] = scales.y.to(y.values[row]);
    }
  }

  /** The border between what the front beats and what nothing reaches. */
  function draw_border(context, color) {
    const corners = points.front.flatMap((row, i) => [
      ...(i ? [[places.x[row], places.y[points.front[i - 1]]]] : []),
      [places.x[row], places.y[row]]]);
    if (corners.length > 1) weft.canvas_line(context, color, 1.5, ...corners);
  }

  function draw_mark(context, x, y, size) {
    context.beginPath();
    context.moveTo(x - size, y);
    context.lineTo(x, y - size);
    context.lineTo(x + size, y);
    context.lineTo(x, y + size);
    context.lineTo(x - size, y);
  }

  function draw(context) {
    const {act, accent, ground, ink} = weft.colors();
    weft.draw_two_axes(context, scales.x, scales.y, scales.area);
    context.fillStyle = act;
    context.globalAlpha = points.shown.length > 300 ? 0.5 : 0.9;
    for (const row of order) {
      if (points.mask[row] && !points.on_front[row]) {
        context.fillRect(places.x[row] - kDot, places.y[row] - kDot, 2 * kDot, 2 * kDot);
      }
    }
    context.globalAlpha = 1;
    draw_border(context, accent);
    for (const row of points.front) {
      draw_mark(context, places.x[row], places.y[row], kMark);
      context.fillStyle = accent;
      context.fill();
      context.strokeStyle = ground;
      context.lineWidth = 1;
      context.stroke();
    }
    if (points.mask[points.chosen] && order.includes(points.chosen)) {
      draw_mark(context, places.x[points.chosen], places.y[points.chosen], kMark + 4);
      context.strokeStyle = ink;
      context.lineWidth = 2;
      context.stroke();
    }
  }

  // --- Pointer and keys ------------------------------------------------------------------------

  function nearest(event, canvas) {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let [found, least] = [-1, kNear ** 2];
    for (const row of order) {
      if (!points.mask[row]) continue;
      // A point on the front covers its neighbors.
      const away = (places.x[row] - x) ** 2 + (places.y[row] - y) ** 2 - 9 * points.on_front[row];
      if (away < least) [found, least] = [row, away];
    }
    return found;
  }

  function let_point(canvas) {
    canvas.addEventListener('pointermove', (event) => {
      const row = nearest(event, canvas);
      weft.show_tip(row < 0 ? null : weft.point_words(row), event.clientX, event.clientY);
    });
    canvas.addEventListener('pointerleave', weft.hide_tip);
    canvas.addEventListener('click', (event) => {
      const row = nearest(event, canvas);
      if (row >= 0) weft.choose_point(row);
    });
    canvas.addEventListener('keydown', (event) => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step || points.front.length === 0) return;
      event.preventDefault();
      const at = points.front.indexOf(points.chosen);
      const next = at < 0 ? 0 : Math.max(0, Math.min(points.front.length - 1, at + step));
      weft.choose_point(points.front[next]);
    });
  }

  // --- The section -----------------------------------------------------------------------------

  function figure_select(place, name, again) {
    const select = el('select', {id: `front-${name}`});
    select.addEventListener('change', () => {
      points.weighed[place] = points.by_name.get(select.value);
      again();
    });
    return select;
  }

  function fill_select(select, place) {
    const metrics = weft.metric_columns();
    if (!metrics.includes(points.weighed[place])) {
      points.weighed[place] = metrics.find((each) => !points.weighed.includes(each)) || metrics[0];
    }
    select.replaceChildren(...metrics.map(({name, label}) => el('option', {value: name}, label)));
    select.value = points.weighed[place].name;
  }

  function words() {
    if (points.front.length === 0) return 'No point of the selection has both figures.';
    const [x, y] = points.weighed;
    const last = points.front.at(-1);
    const told = (row) => `${weft.point_text(x, row)} with ${weft.point_text(y, row)}`;
    const ends = points.front.length > 1 ? `from ${told(points.front[0])} to ${told(last)}`
      : told(last);
    return `${weft.plural(points.front.length, 'point')} on the front of ${x.label} and ` +
      `${y.label}: ${ends}.`;
  }

  weft.draw_front = function () {
    const section = weft.section('front', 'Pareto front',
      'No other shown point is as good as a point on the front in both figures. Choose a point ' +
      'to see its command; the keys ← and → go along the front.');
    const stage = el('div', {class: 'stage'});
    const canvas = el('canvas', {'id': 'front-canvas', 'tabindex': 0, 'role': 'img'});
    const readout = el('p', {class: 'readout', id: 'front-words'});
    let width = 0;
    const paint = () => {
      if (!scales) return;
      readout.textContent = words();
      canvas.setAttribute('aria-label', readout.textContent);
      weft.paint_canvas(canvas, scales.width, kHeight, draw);
    };
    const whole = () => {
      if (points.rows.length === 0) return;
      sort_rows();
      find_front();
      if (width > 0) set_scales(width);
      weft.tell('front');
    };
    const selects = [figure_select(0, 'x', whole), figure_select(1, 'y', whole)];
    section.append(el('div', {class: 'controls'},
      el('label', null, 'Across ', selects[0]), el('label', null, 'Up ', selects[1])),
    stage, readout);
    stage.append(canvas);
    let_point(canvas);
    weft.let_save(section, () => [stage], () => points.weighed.map(({name}) => name).join(' '));
    weft.on('work', () => {
      section.hidden = points.rows.length === 0;
      if (section.hidden) return;
      selects.forEach(fill_select);
      sort_rows();
      if (width > 0) set_scales(width);
    });
    weft.on('points', () => {
      if (points.rows.length === 0) return;
      find_front();
      weft.tell('front');
    });
    for (const name of ['front', 'chosen']) weft.on(name, () => weft.draw_soon('front', paint));
    weft.keep_drawn(stage, (wide) => {
      width = wide;
      if (points.weighed.length < 2 || points.rows.length === 0) return;
      set_scales(width);
      paint();
    });
  };
})(globalThis.weft);
