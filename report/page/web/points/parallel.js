// Parallel coordinates: an axis for each column, a line for each point. Dragging along an axis
// brushes it.
'use strict';

(function (weft) {
  const {el, points} = weft;
  if (!points) return;
  const kHeight = 380;
  const kTop = 62;         // room for the names, on two levels
  const kBottom = 20;
  const kSide = 46;        // left of the first axis and right of the last
  const kLeastGap = 78;    // pixels between axes; a narrow window scrolls
  const kHalf = 14;        // half the width in which a pointer is at an axis
  const kEdge = 5;         // pixels at a brush's ends that move this end
  const kMostAxes = [7, 5];  // at first: of what was asked for, and of what was found
  const kSteps = 20;       // key presses along an axis
  // While a brush moves over more points than this, their lines have pixels of twice the size.
  const kCoarseFrom = 3000;
  const kStill = 150;        // ms without a change, until the lines are fine again
  const kNeverFirst = ['seconds', 'kind', 'workload'];

  let axes = [];           // {column, scale, x, ys}
  let fine = null;         // pictures of the lines of all and of the shown points
  let coarse = null;       // the same with large pixels
  let moving = false;
  let width = 0;

  // --- Which columns -----------------------------------------------------------------------

  /** Columns that axes and the table show. */
  points.listed = [];

  function choices() {
    const swept = weft.swept_columns();
    const found = weft.found_columns().filter((column) => !swept.includes(column));
    return [...swept, ...found];
  }

  /** The figures that the front weighs are always among them. */
  function first_choice() {
    const useful = choices().filter(({name}) => !kNeverFirst.includes(name));
    const on_front = (column) => Number(points.weighed.includes(column));
    const first = (columns, most) =>
      columns.sort((a, b) => on_front(b) - on_front(a)).slice(0, most);
    const asked = first(useful.filter((column) => column.asked), kMostAxes[0]);
    const figures = first(useful.filter((column) => column.metric && !column.asked), kMostAxes[1]);
    const wanted = new Set([...asked, ...figures, ...points.weighed]);
    const all = [...new Set([...useful, ...points.weighed])].filter((column) => wanted.has(column));
    return asked.length + figures.length > 1 ? all : weft.metric_columns();
  }

  function column_boxes(again) {
    const list = el('div', {class: 'choices'});
    const fill = () => {
      const offered = [...new Set([...choices(), ...points.listed])];
      list.replaceChildren(...offered.map((column) => {
        const box = el('input', {type: 'checkbox', value: column.name});
        box.checked = points.listed.includes(column);
        box.addEventListener('change', () => {
          const wanted = new Set(points.listed);
          if (box.checked) wanted.add(column);
          else wanted.delete(column);
          points.listed = offered.filter((each) => wanted.has(each));
          again();
        });
        return el('label', null, box, ` ${column.label}`);
      }));
    };
    return {fill, node: el('details', {id: 'columns'},
      el('summary', null, 'Choose axes and columns'), list)};
  }

  // --- Layout ------------------------------------------------------------------------------

  const gaps = () => Math.max(1, points.listed.length - 1);

  /** Pictures in which a pixel has `step` of the page's along each side. */
  function new_pictures(step, height) {
    const [all, shown] = [0, 1].map(() =>
      new weft.LinePicture(Math.ceil(width / step), Math.ceil(height / step)));
    const pictures = {all, shown, axes: [], width: step * all.width, height: step * all.height};
    pictures.place = (list) => {
      pictures.axes = list.map(({x, ys}) => ({x: Math.round(x / step),
        ys: ys.map((y) => (y < 0 ? -1 : Math.floor(y / step)))}));
    };
    return pictures;
  }

  function lay_out(room) {
    const wide = Math.max(room, 2 * kSide + gaps() * kLeastGap);
    const bottom = kHeight - kBottom - kTop - 1;
    const step = (wide - 2 * kSide) / gaps();
    axes = points.listed.map((column, i) => {
      const scale = weft.column_scale(column, points.rows, [bottom, 0], {pad: 4});
      const ys = new Int16Array(points.count).fill(-1);
      for (const row of points.rows) {
        const value = column.values[row];
        if (!Number.isNaN(value)) ys[row] = Math.round(scale.to(value));
      }
      return {column, scale, ys, x: Math.round(kSide + i * step)};
    });
    if (width !== wide || !fine) {
      width = wide;
      [fine, coarse] = [1, 2].map((step) => new_pictures(step, bottom + 1));
    }
    for (const pictures of [fine, coarse]) pictures.place(axes);
    draw_all();
  }

  const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

  /** The lines of all points change only with the workload, the axes and the theme. */
  function draw_all() {
    if (!fine) return;
    const color = rgb(weft.colors().line);
    for (const pictures of [fine, coarse]) pictures.all.draw(pictures.axes, points.rows, color);
  }

  // --- Drawing -----------------------------------------------------------------------------

  /** The places of a brush's ends; null without a brush. */
  function brush_of({column, scale}) {
    const brush = points.brushes.get(column.name);
    if (!brush) return null;
    const [a, b] = brush.map((value) => Math.max(scale.domain[0], Math.min(scale.domain[1], value)));
    return {top: kTop + scale.to(b) - 1, bottom: kTop + scale.to(a) + 1};
  }

  function draw_axis(context, axis, i) {
    const {ink, soft, accent, ground} = weft.colors();
    const {x, scale, column} = axis;
    const most = Math.floor((2 * (width - 2 * kSide) / gaps()) / 7);
    weft.canvas_text(context, weft.clipped_name(column.label, Math.max(8, most)), x,
      i % 2 ? 28 : 10, i === 0 ? 'left' : i + 1 === axes.length ? 'right' : 'center', ink, 12);
    if (i % 2 === 0) weft.canvas_line(context, soft, 0.5, [x + 0.5, 20], [x + 0.5, kTop - 8]);
    weft.canvas_line(context, soft, 1.5, [x, kTop], [x, kHeight - kBottom]);
    const brush = brush_of(axis);
    if (brush) {
      context.globalAlpha = 0.25;
      context.fillStyle = accent;
      context.fillRect(x - 8, brush.top, 16, brush.bottom - brush.top);
      context.globalAlpha = 1;
      context.strokeStyle = accent;
      context.lineWidth = 1.5;
      context.strokeRect(x - 8, brush.top, 16, brush.bottom - brush.top);
    }
    for (const tick of scale.ticks) {
      const text = weft.clipped_name(scale.text(tick), 10);
      const [wide, y] = [6.2 * text.length + 4, kTop + scale.to(tick)];
      context.globalAlpha = 0.75;
      context.fillStyle = ground;
      context.fillRect(x + 4, y - 6, wide, 13);
      context.globalAlpha = 1;
      weft.canvas_text(context, text, x + 6, y + 0.5, 'left', ink);
    }
  }

  function draw_point(context, row, color, thick) {
    const places = axes.filter(({ys}) => ys[row] >= 0).map(({x, ys}) => [x, kTop + ys[row]]);
    if (places.length === axes.length) weft.canvas_line(context, color, thick, ...places);
  }

  function draw(context) {
    const {act, accent, ink} = weft.colors();
    const pictures = moving && points.rows.length > kCoarseFrom ? coarse : fine;
    const lines = pictures.shown.draw(pictures.axes, points.shown, rgb(act), pictures.all);
    context.drawImage(lines, 0, kTop, pictures.width, pictures.height);
    for (const row of points.front) draw_point(context, row, accent, 1.3);
    if (points.mask[points.chosen]) draw_point(context, points.chosen, ink, 2.5);
    axes.forEach((axis, i) => draw_axis(context, axis, i));
  }

  // --- Brushing by pointer and key ---------------------------------------------------------

  /** A bound that reads as it counts: four digits, or the end of the axis. */
  function bound_at({column, scale}, y) {
    const [low, high] = scale.domain;
    const value = Math.max(low, Math.min(high, scale.from(y)));
    if (column.words) return Math.round(2 * value) / 2;
    const all = weft.range_of(column, points.rows);
    if (y <= scale.to(all[1]) + 1) return all[1];
    if (y >= scale.to(all[0]) - 1) return all[0];
    return Number(value.toPrecision(4));
  }

  function brush_between(axis, a, b) {
    const [low, high] = [a, b].map((y) => bound_at(axis, y - kTop)).sort((p, q) => p - q);
    weft.set_brush(axis.column.name, low, high);
  }

  const at_in = (strip, event) => event.clientY - strip.getBoundingClientRect().top;

  /** What a drag that begins at `y` does: a function of the pointer's place. */
  function drag_from(axis, y) {
    const brush = brush_of(axis);
    if (!brush || y < brush.top - kEdge || y > brush.bottom + kEdge) {
      return (to) => brush_between(axis, y, to);
    }
    if (Math.abs(y - brush.top) <= kEdge) return (to) => brush_between(axis, to, brush.bottom - 1);
    if (Math.abs(y - brush.bottom) <= kEdge) return (to) => brush_between(axis, brush.top + 1, to);
    return (to) => {
      const by = Math.max(kTop - brush.top, Math.min(kHeight - kBottom - brush.bottom, to - y));
      brush_between(axis, brush.top + 1 + by, brush.bottom - 1 + by);
    };
  }

  function let_drag(strip, axis) {
    let drag = null;
    let moved = false;
    let began = 0;
    strip.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      strip.setPointerCapture(event.pointerId);
      began = at_in(strip, event);
      drag = drag_from(axis, began);
      moved = false;
    });
    strip.addEventListener('pointermove', (event) => {
      if (!drag) return;
      const to = at_in(strip, event);
      moved = moved || Math.abs(to - began) > 2;
      if (moved) drag(to);
    });
    const end = () => {
      if (drag && !moved) weft.drop_brush(axis.column.name);
      drag = null;
    };
    strip.addEventListener('pointerup', end);
    strip.addEventListener('pointercancel', () => { drag = null; });
  }

  function press(axis, event) {
    const step = (kHeight - kBottom - kTop) / kSteps;
    if (['Delete', 'Backspace', 'Escape'].includes(event.key)) {
      weft.drop_brush(axis.column.name);
      return true;
    }
    const way = {ArrowUp: -1, ArrowDown: 1}[event.key];
    if (!way) return false;
    const {top, bottom} = brush_of(axis) || {top: kTop, bottom: kHeight - kBottom};
    const room = (y) => Math.max(kTop, Math.min(kHeight - kBottom, y));
    if (event.shiftKey) brush_between(axis, room(top + way * step), bottom);
    else brush_between(axis, top, room(bottom + way * step));
    return true;
  }

  function make_strip(axis) {
    const {column, x} = axis;
    const strip = el('div', {'class': 'strip', 'tabindex': 0, 'role': 'slider',
      'aria-orientation': 'vertical', 'data-column': column.name, 'aria-label':
      `Brush ${column.label}: arrows move the lower end, with Shift the upper, Delete removes`});
    strip.style.left = `${x - kHalf}px`;
    strip.style.height = `${kHeight}px`;
    strip.addEventListener('keydown', (event) => {
      if (press(axis, event)) event.preventDefault();
    });
    let_drag(strip, axis);
    axis.strip = strip;
    return strip;
  }

  function tell_values() {
    for (const {column, scale, strip} of axes) {
      const [low, high] = points.brushes.get(column.name) || scale.domain;
      strip.setAttribute('aria-valuemin', scale.domain[0]);
      strip.setAttribute('aria-valuemax', scale.domain[1]);
      strip.setAttribute('aria-valuenow', low);
      strip.setAttribute('aria-valuetext', points.brushes.has(column.name)
        ? weft.brush_words(column, [low, high]) : 'not brushed');
    }
  }

  // --- The section -------------------------------------------------------------------------

  weft.draw_parallel = function () {
    const section = weft.section('parallel', 'Parallel coordinates',
      'Each line is a point. Drag along an axis to brush it: every figure and table then shows ' +
      'only points within all brushes, and the other lines turn gray. Drag a brush to move it, ' +
      'click an axis to remove its brush. Lines of the front stand out.');
    const canvas = el('canvas', {id: 'parallel-canvas', role: 'img'});
    const strips = el('div', {class: 'strips'});
    const stage = el('div', {class: 'stage axes-stage'}, canvas, strips);
    let room = 0;
    const paint = () => {
      if (!fine || section.hidden) return;
      canvas.setAttribute('aria-label', `${weft.plural(points.shown.length, 'line')} over ` +
        `${weft.plural(axes.length, 'axis', 'axes')}`);
      tell_values();
      weft.paint_canvas(canvas, width, kHeight, draw);
    };
    const lay = () => {
      if (room === 0 || points.rows.length === 0) return;
      lay_out(room);
      strips.replaceChildren(...axes.map(make_strip));
      stage.style.width = `${width}px`;
      paint();
    };
    const boxes = column_boxes(() => {
      for (const name of points.brushes.keys()) {
        if (!points.listed.some((column) => column.name === name)) weft.drop_brush(name);
      }
      lay();
      weft.tell('columns');
    });
    const scroll = el('div', {class: 'scroll'}, stage);
    section.append(boxes.node, scroll, weft.brush_form());
    weft.let_save(section, () => [stage]);
    weft.on('work', () => {
      points.listed = first_choice();
      boxes.fill();
      section.hidden = points.rows.length < 2;
      lay();
      weft.tell('columns');
    });
    weft.on('theme', draw_all);
    const soon = () => weft.draw_soon('parallel', paint);
    let rest = null;
    weft.on('front', () => {
      moving = true;
      clearTimeout(rest);
      rest = setTimeout(() => {
        moving = false;
        soon();
      }, kStill);
      soon();
    });
    weft.on('chosen', soon);
    weft.keep_drawn(scroll, (wide) => {
      room = wide;
      lay();
    });
  };
})(globalThis.weft);
