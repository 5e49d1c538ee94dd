// The section of the timeline: the cycles in view, and how wheel, drag and keys change them.
'use strict';

(function (weft) {
  const {data, el} = weft;
  const kClosest = 8;  // least number of cycles in view
  const kStill = 4;    // pixels that the pointer may move during a click

  const view = {begin: 0, end: 1};
  let canvas, layout, content, readout, table;

  // --- View ------------------------------------------------------------------------------------

  function set_view(begin, end) {
    const length = Math.max(Math.min(kClosest, weft.total), Math.min(weft.total, end - begin));
    view.begin = Math.max(0, Math.min(weft.total - length, begin));
    view.end = view.begin + length;
    weft.draw_soon('timeline', draw);
  }

  function zoom(factor, around = weft.cycle) {
    const anchor = around >= view.begin && around <= view.end ? around
      : (view.begin + view.end) / 2;
    set_view(anchor - (anchor - view.begin) * factor, anchor + (view.end - anchor) * factor);
  }

  const pan = (cycles) => set_view(view.begin + cycles, view.end + cycles);

  function keep_in_view() {
    const length = view.end - view.begin;
    if (weft.cycle < view.begin || weft.cycle >= view.end) {
      set_view(weft.cycle - length * 0.1, weft.cycle + length * 0.9);
    }
  }

  /** Zooms the timeline around the current cycle; a factor below 1 shows fewer cycles. */
  weft.zoom_timeline = (factor) => content && zoom(factor);
  weft.timeline_view = () => ({...view});
  weft.set_timeline_view = set_view;

  /** Each drawn bar: lane, first cycle, end, and the instruction (null for a push). */
  weft.timeline_bars = () => content.lanes.flatMap((lane) => lane.begin.map((begin, i) =>
    ({lane: lane.name, begin, end: lane.end[i], instruction: lane.index[i] ?? null})));

  // --- Drawing ---------------------------------------------------------------------------------

  function draw() {
    if (!layout) return;
    weft.paint_canvas(canvas, layout.width, layout.height, (context) =>
      weft.draw_timeline(context, layout, view, content));
  }

  function show_now() {
    draw();
    const rows = content.lanes.filter((lane) => lane.unit >= 0).map(is_listed(weft.cycle)
      ? now_row : shares_row);
    if ((data.layers || []).length > 1) rows.unshift(layer_row(weft.layer_at(weft.cycle)));
    rows.push(el('tr', null, el('th', {scope: 'row'}, 'ledger'), el('td', null, ...now_class()),
      el('td')));
    table.replaceChildren(el('tbody', null, ...rows));
  }

  function layer_row(layer) {
    return el('tr', {id: 'now-layer'}, el('th', {scope: 'row'}, 'layer'),
      el('td', null, layer ? `${layer.name} (${layer.operator})` : '\u2013'),
      el('td', {class: 'cycles'}, layer ? `${weft.count(layer.begin)} \u2013 ` +
        weft.count(layer.begin + layer.cycles - 1) : ''));
  }

  const is_listed = (cycle) => cycle >= content.window[0] && cycle < content.window[1];

  function now_row(lane) {
    const at = weft.bar_at(lane, weft.cycle);
    const index = at < 0 ? -1 : lane.index[at];
    return el('tr', null, el('th', {scope: 'row'}, lane.name),
      el('td', {class: 'code'}, index < 0 ? '\u2013' : data.timeline.instructions.text[index]),
      el('td', {class: 'cycles'}, index < 0 ? ''
        : `${weft.count(lane.begin[at])} \u2013 ${weft.count(lane.end[at] - 1)}`));
  }

  function now_class() {
    const run = weft.run_at(content.runs, weft.cycle);
    if (run) {
      const {label, meaning} = weft.class_style(run.name);
      return [weft.swatch(run.name), ` ${label}: ${meaning}`];
    }
    const shares = weft.class_shares(content, weft.cycle);
    if (shares.length === 0) return ['\u2013'];
    return [weft.swatch(shares[0].name), ` ${shares_words(shares)}`];
  }

  // --- Where instructions are not listed --------------------------------------------------------

  const bin_words = (cycle) => {
    const [begin, end] = weft.bin_range(content, cycle);
    return `of cycles ${weft.count(begin)} to ${weft.count(end - 1)}`;
  };

  const shares_words = (shares) => shares
    .map(({name, share}) => `${weft.class_style(name).label} ${weft.percent(share)}`).join(', ');

  function shares_row(lane) {
    const share = weft.busy_share(content, lane, weft.cycle);
    return el('tr', null, el('th', {scope: 'row'}, lane.name),
      el('td', null, share === null ? '\u2013'
        : `busy ${weft.percent(share)} ${bin_words(weft.cycle)}`),
      el('td'));
  }

  /** Describes what a lane, or the ledger if there is no lane, does in a cycle without a list. */
  function binned_words(lane, cycle) {
    if (!content.bins) return null;
    const share = lane ? weft.busy_share(content, lane, cycle) : null;
    const text = lane ? share !== null && `${lane.name}: busy ${weft.percent(share)}`
      : shares_words(weft.class_shares(content, cycle));
    return text ? [text, bin_words(cycle)] : null;
  }

  // --- Pointing --------------------------------------------------------------------------------

  function row_at(y) {
    return layout.rows.find((row) => y >= row.y && y < row.y + layout.lane_h) || null;
  }

  function words_at(x, y) {
    if (x < weft.timeline_gutter) return null;
    const cycle = Math.floor(weft.timeline_cycle_at(layout, view, x));
    const row = row_at(y);
    if (!row && y < layout.ledger_y) return null;
    if (!is_listed(cycle)) return binned_words(row && row.lane, cycle);
    if (row) return lane_words(row.lane, cycle);
    const run = weft.run_at(content.runs, cycle);
    return run ? run_words(run) : null;
  }

  function lane_words(lane, cycle) {
    const at = weft.bar_at(lane, cycle);
    if (at >= 0 && lane.index.length) return weft.instruction_words(lane.index[at]);
    if (at >= 0) return [`a tile is pushed, cycles ${lane.begin[at]} to ${lane.end[at] - 1}`];
    const wait = lane.waits && weft.run_at(lane.waits, cycle);
    return wait ? run_words(wait) : null;
  }

  function run_words(run) {
    const style = weft.class_style(run.name);
    return [`${style.label}: ${style.meaning}`,
      `cycles ${weft.count(run.begin)} to ${weft.count(run.end - 1)}, ` +
      weft.plural(run.end - run.begin, 'cycle')];
  }

  const offset = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  function listen_pointer() {
    let drag = null;
    canvas.addEventListener('pointerdown', (event) => {
      drag = {x: event.clientX, begin: view.begin, end: view.end, moved: false};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!drag) return weft.show_tip(words_at(...offset(event)), event.clientX, event.clientY);
      drag_to(drag, event);
    });
    canvas.addEventListener('pointerup', (event) => {
      if (drag && !drag.moved) click(...offset(event));
      drag = null;
    });
    canvas.addEventListener('pointercancel', () => { drag = null; });
    canvas.addEventListener('pointerleave', weft.hide_tip);
  }

  function drag_to(drag, event) {
    const pixels = drag.x - event.clientX;
    drag.moved = drag.moved || Math.abs(pixels) > kStill;
    if (!drag.moved) return;
    weft.hide_tip();
    const cycles = (pixels / layout.plot) * (drag.end - drag.begin);
    set_view(drag.begin + cycles, drag.end + cycles);
  }

  function click(x, y) {
    if (x < weft.timeline_gutter) return;
    const cycle = Math.floor(weft.timeline_cycle_at(layout, view, x));
    const row = row_at(y);
    const at = row ? weft.bar_at(row.lane, cycle) : -1;
    if (at >= 0 && row.lane.index.length) select(row.lane.index[at]);
    weft.go_to(cycle);
  }

  function wheel(event) {
    const cycles = view.end - view.begin;
    if (event.deltaY > 0 && cycles >= weft.total) return;  // the page scrolls instead
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      pan((event.deltaX / layout.plot) * cycles);
    } else {
      const [x] = offset(event);
      zoom(Math.exp(event.deltaY * 0.002), weft.timeline_cycle_at(layout, view, x));
    }
  }

  // --- Keys and the selected instruction --------------------------------------------------------

  function select(index) {
    const {instructions: all} = data.timeline;
    if (index < 0 || index >= all.unit.length) return;
    content.selected = index;
    readout.textContent = weft.instruction_words(index).join(' · ');
    if (all.started[index] < view.begin || all.started[index] >= view.end) {
      const length = view.end - view.begin;
      set_view(all.started[index] - length / 2, all.started[index] + length / 2);
    }
    weft.draw_soon('timeline', draw);
  }

  const quarter = () => (view.end - view.begin) / 4;

  const kKeys = {
    'Shift+ArrowLeft': () => pan(-quarter()),
    'Shift+ArrowRight': () => pan(quarter()),
    ',': () => select(content.selected - 1),
    '.': () => select(content.selected + 1),
    'Enter': () => content.selected >= 0 &&
      weft.go_to(data.timeline.instructions.started[content.selected]),
  };

  function key(event) {
    const action = kKeys[(event.shiftKey ? 'Shift+' : '') + event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  function focused() {
    const at = weft.matmul_at(weft.cycle);
    if (content.selected < 0) select(at < 0 ? 0 : weft.matmuls[at].instruction);
  }

  // --- The section -----------------------------------------------------------------------------

  function controls() {
    return el('div', {class: 'controls'},
      weft.button('Zoom in', {id: 'zoom-in', title: 'Zoom in (+)'}, () => zoom(0.5)),
      weft.button('Zoom out', {id: 'zoom-out', title: 'Zoom out (−)'}, () => zoom(2)),
      weft.button('Whole run', {id: 'zoom-all', title: 'Whole run (0)'},
        () => set_view(0, weft.total)),
      el('span', {class: 'hint'}, 'wheel zooms, dragging moves, a click goes to a cycle'));
  }

  function sampled_words() {
    const {timeline} = data;
    if (!timeline.left_out) return null;
    const [begin, end] = timeline.window;
    const bars = end > begin ? `Bars are drawn for cycles ${weft.count(begin)} to ` +
      `${weft.count(end - 1)}; elsewhere heights` : 'Heights';
    return el('p', {class: 'beyond'}, `${weft.count(timeline.left_out)} instructions are not ` +
      `listed. ${bars} are shares of time.`);
  }

  function legend() {
    return el('p', {class: 'legend'}, ...data.timeline.classes.map((name) =>
      el('span', null, weft.swatch(name), ` ${weft.class_style(name).label}`)),
    el('span', null, 'a thin bar after a matmul: its rows on their way through the array'));
  }

  function listen() {
    listen_pointer();
    canvas.addEventListener('wheel', wheel, {passive: false});
    canvas.addEventListener('keydown', key);
    canvas.addEventListener('focus', focused);
    weft.on('cycle', () => {
      keep_in_view();
      weft.draw_soon('timeline', show_now);
    });
  }

  weft.draw_timeline_section = function () {
    const {timeline} = data;
    if (!timeline) return;
    content = {...weft.timeline_lanes(), bins: timeline.bins, window: timeline.window,
      classes: timeline.classes, selected: -1};
    const section = weft.section('timeline', 'Timeline',
      'Five units work side by side. Where no row enters the array, the matmul lane shows what ' +
      'it waits for; the ledger below gives every cycle to exactly one class.');
    canvas = el('canvas', {id: 'timeline-canvas', tabindex: 0, role: 'img',
      'aria-describedby': 'instruction', 'aria-label': 'Timeline of the units'});
    const stage = el('div', {class: 'stage'}, canvas);
    readout = el('p', {class: 'readout', id: 'instruction', 'aria-live': 'polite'},
      timeline.instructions.unit.length
        ? 'Focus the timeline: the keys , and . go from instruction to instruction.' : '');
    table = el('table', {class: 'now-table', id: 'now-table'});
    const key = legend();
    section.append(controls(), sampled_words() || '', stage, key, readout,
      el('div', {class: 'scroll'}, table));
    weft.let_save(section, () => [stage, key],
      () => `cycles ${Math.floor(view.begin)} to ${Math.ceil(view.end) - 1}`);
    set_view(0, weft.total);
    weft.keep_drawn(stage, (width) => {
      layout = weft.timeline_layout(content.lanes, width);
      show_now();
    });
    listen();
  };
})(globalThis.weft);
