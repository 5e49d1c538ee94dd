// The section of the array: its controls, a drawing for its size, words, and the written sums.
'use strict';

(function (weft) {
  const {data, el} = weft;
  const kWrites = 6;
  const kHowToPick = 'Click a PE to follow what its registers hold.';
  const kSumColumns = 16;

  let whole, stage, canvas, zoom, layout, heat_layout, words, pe_readout, beyond, sums;

  weft.picked = null;  // [row, column] of the PE that the readout follows

  // --- Controls --------------------------------------------------------------------------------

  function transport() {
    const {button} = weft;
    const play = button('▶ Play', {id: 'play', class: 'primary', 'aria-keyshortcuts': 'Space'},
      weft.toggle);
    weft.on('playing', (on) => { play.textContent = on ? '❚❚ Pause' : '▶ Play'; });
    return el('div', {class: 'buttons', role: 'group', 'aria-label': 'Time'},
      button('|◀', {id: 'first', 'aria-label': 'First cycle', title: 'First cycle (Home)'},
        () => weft.step(-Infinity)),
      button('◀◀', {id: 'fold-back', 'aria-label': 'Previous fold', title: 'Previous fold ([)'},
        () => weft.step_fold(-1)),
      button('◀', {id: 'back', 'aria-label': 'Step back', title: 'Step back (←)'},
        () => weft.step(-1)),
      play,
      button('▶', {id: 'forward', 'aria-label': 'Step forward', title: 'Step forward (→)'},
        () => weft.step(1)),
      button('▶▶', {id: 'fold-forward', 'aria-label': 'Next fold', title: 'Next fold (])'},
        () => weft.step_fold(1)),
      button('▶|', {id: 'last', 'aria-label': 'Last cycle', title: 'Last cycle (End)'},
        () => weft.step(Infinity)));
  }

  function cycle_controls() {
    const slider = el('input', {type: 'range', id: 'cycle-slider', min: 0, max: weft.last_cycle,
      value: 0, 'aria-label': 'Cycle'});
    const number = el('input', {type: 'number', id: 'cycle-number', min: 0, max: weft.last_cycle,
      value: 0});
    slider.addEventListener('input', () => weft.go_to(Number(slider.value)));
    number.addEventListener('change', () => {
      weft.go_to(Number(number.value));
      number.value = weft.cycle;
    });
    weft.on('cycle', (cycle) => {
      slider.value = cycle;
      if (document.activeElement !== number || weft.playing) number.value = cycle;
    });
    number.addEventListener('blur', () => { number.value = weft.cycle; });
    return [el('label', {class: 'jump'}, 'cycle ', number,
      el('span', null, ` of ${weft.count(weft.total)}`)), slider];
  }

  function speed_control() {
    const select = el('select', {id: 'speed'}, ...weft.speeds.map((speed) =>
      el('option', {value: speed}, String(speed))));
    select.value = String(weft.speed);
    select.addEventListener('change', () => weft.set_speed(Number(select.value)));
    weft.on('speed', (speed) => { select.value = String(speed); });
    return el('label', null, select, ' cycles per second');
  }

  weft.transport = () => el('div', {class: 'controls transport'}, transport(),
    ...cycle_controls(), speed_control(), weft.link_button());

  // --- Words -----------------------------------------------------------------------------------

  const recorded = () => weft.cycle < weft.recording.end;

  /** The drawn cycle: the current one, or the last recorded one. */
  const drawn_cycle = () => Math.min(weft.cycle, weft.recording.end - 1);

  function entering_words(cycle) {
    const {recording} = weft;
    const parts = [];
    const row = recording.row_at(cycle);
    if (row >= 0) {
      const where = `accumulator row ${recording.acc_rows[row]}`;
      parts.push(`${recording.swap_at(cycle) ? 'The first row of a tile enters, with the swap'
        : 'A row of activations enters'}; its sums go to ${where}.`);
    }
    if (recording.push_at(cycle) >= 0) parts.push('A row of weights is pushed.');
    const written = recording.written_at(cycle);
    if (written >= 0) {
      parts.push(`Accumulator row ${recording.acc_rows[written]} is ` +
        `${recording.accumulates(written) ? 'added to' : 'written'}.`);
    }
    return parts.length ? parts.join(' ') : 'Nothing enters and nothing is written.';
  }

  function show_words() {
    beyond.hidden = recorded();
    if (recorded()) words.textContent = `Cycle ${weft.count(weft.cycle)}. ` +
      entering_words(weft.cycle);
    else words.textContent = `Cycle ${weft.count(weft.cycle)}.`;
    pe_readout.textContent = weft.picked ? pe_words(...weft.picked).join(' · ') : kHowToPick;
  }

  /** Describes the registers of PE(r,c). */
  function pe_words(r, c) {
    const q = weft.recording.seek(drawn_cycle());
    const i = r * q.cols + c;
    const value = (name) => weft.recording.numbers.value(q[name][i]);
    return [`PE(${r}, ${c}) in cycle ${weft.count(drawn_cycle())}`,
      `activation ${value('act')}${q.swap[i] ? ', with the swap' : ''}`,
      `active weight ${value('weight_active')}, shadow ${value('weight_shadow')}`,
      `partial sum ${q.psum[i]} = above + ${value('act')} × ${value('weight_active')}`,
      `weight passed down ${value('weight_out')}${q.push[i] ? ', with the push' : ''}`];
  }

  // --- Accumulators ----------------------------------------------------------------------------

  function sum_columns() {
    const begin = heat_layout ? weft.heat.col : 0;
    const many = heat_layout ? heat_layout.shown_cols : Math.min(kSumColumns, weft.recording.cols);
    return Array.from({length: many}, (_, i) => begin + i);
  }

  function write_row(index, columns) {
    const {recording} = weft;
    const cycle = recording.act_cycles[index] + recording.depth;
    const values = recording.sums_of(index);
    return el('tr', {class: cycle === drawn_cycle() ? 'now' : null},
      el('td', null, weft.count(cycle)),
      el('th', {scope: 'row'}, String(recording.acc_rows[index])),
      el('td', null, recording.accumulates(index) ? '+=' : '='),
      ...columns.map((c) => el('td', null, weft.cell_text(values[c], 9))));
  }

  /** Lists the latest writes up to the current cycle, newest first. */
  function show_sums() {
    const {recording} = weft;
    const columns = sum_columns();
    const written = weft.lower_bound(recording.act_cycles, drawn_cycle() - recording.depth + 1);
    const rows = [];
    for (let i = written - 1; i >= Math.max(0, written - kWrites); --i) {
      rows.push(write_row(i, columns));
    }
    sums.replaceChildren(el('thead', null, el('tr', null, ...['cycle', 'row', '',
      ...columns.map((c) => `c${c}`)].map((text) => el('th', {scope: 'col'}, text)))),
    el('tbody', null, ...(rows.length ? rows : [el('tr', null,
      el('td', {colspan: 3 + columns.length, class: 'none-yet'}, 'nothing yet'))])));
  }

  // --- Drawing ---------------------------------------------------------------------------------

  function arrange(width) {
    const {rows, cols} = weft.recording;
    layout = weft.diagram_layout(rows, cols, width);
    heat_layout = layout ? null : weft.heat_layout(rows, cols, width);
    zoom.hidden = !heat_layout;
    stage.classList.toggle('heat', Boolean(heat_layout));
    document.getElementById('heat-controls').hidden = !heat_layout;
    if (heat_layout) weft.move_window(heat_layout, weft.heat.row, weft.heat.col);
    draw_all();
  }

  function draw_picture() {
    if (!(layout || heat_layout)) return;
    if (layout) {
      weft.paint_canvas(canvas, layout.width, layout.height, draw_diagram);
      return;
    }
    const {picture, window} = heat_layout;
    weft.paint_canvas(canvas, picture.width, picture.height, (context) =>
      weft.draw_heat(context, heat_layout, weft.recording.seek(drawn_cycle())));
    weft.paint_canvas(zoom, window.width, window.height, draw_window);
  }

  function draw_diagram(context) {
    weft.draw_diagram(context, layout, drawn_cycle(), recorded() ? weft.phase : 0);
    frame_picked(context, weft.picked && weft.frame_in_diagram(layout, weft.picked));
  }

  function draw_window(context) {
    weft.draw_window(context, heat_layout, weft.recording.seek(drawn_cycle()), drawn_cycle());
    frame_picked(context, weft.picked && weft.frame_in_window(heat_layout, weft.picked));
  }

  function frame_picked(context, box) {
    if (!box) return;
    context.strokeStyle = weft.colors().accent;
    context.lineWidth = 2;
    context.setLineDash([5, 3]);
    context.strokeRect(box[0] + 1, box[1] + 1, box[2] - 2, box[3] - 2);
    context.setLineDash([]);
  }

  function draw_all() {
    draw_picture();
    show_words();
    show_sums();
  }

  // --- Pointing --------------------------------------------------------------------------------

  function pe_at(target, x, y) {
    if (layout) return weft.pe_in_diagram(layout, x, y);
    if (target === zoom) return weft.pe_in_window(heat_layout, x, y);
    return [Math.floor(y / heat_layout.scale), Math.floor(x / heat_layout.scale)];
  }

  function pe_under(target, event) {
    const box = target.getBoundingClientRect();
    const pe = pe_at(target, event.clientX - box.left, event.clientY - box.top);
    return pe && pe[0] < weft.recording.rows && pe[1] < weft.recording.cols ? pe : null;
  }

  function point(target, event) {
    const box = target.getBoundingClientRect();
    if (target === canvas && heat_layout && event.buttons & 1) {
      move_to(event.clientX - box.left, event.clientY - box.top);
    }
    const pe = pe_under(target, event);
    weft.show_tip(pe && pe_words(...pe), event.clientX, event.clientY);
  }

  function pick(pe) {
    if (!pe) return;
    weft.picked = pe;
    weft.tell('pe', pe);
    weft.draw_soon('array', draw_all);
  }

  /** Picks PE(r,c) and moves the window to it; ignores a PE that the array does not have. */
  weft.pick_pe = function ([r, c]) {
    if (!weft.recording || r >= weft.recording.rows || c >= weft.recording.cols) return;
    pick([r, c]);
    if (!heat_layout || weft.frame_in_window(heat_layout, [r, c])) return;
    weft.move_window(heat_layout, r - heat_layout.shown_rows / 2, c - heat_layout.shown_cols / 2);
  };

  function move_to(x, y) {
    const {scale, shown_rows, shown_cols} = heat_layout;
    weft.move_window(heat_layout, y / scale - shown_rows / 2, x / scale - shown_cols / 2);
    weft.draw_soon('array', draw_all);
  }

  const kArrows = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};

  /** Shift and an arrow move to the next PE or, on a picture of a large array, move the window. */
  function picture_key(event) {
    const way = kArrows[event.key];
    if (!way || !event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.currentTarget === canvas && heat_layout) {
      weft.move_window(heat_layout, weft.heat.row + way[0], weft.heat.col + way[1]);
      weft.draw_soon('array', draw_all);
    } else {
      pick(neighbor(way));
    }
  }

  function neighbor([down, right]) {
    const {rows, cols} = weft.recording;
    if (!weft.picked) return heat_layout ? [weft.heat.row, weft.heat.col] : [0, 0];
    const within = (value, size) => Math.max(0, Math.min(size - 1, value));
    return [within(weft.picked[0] + down, rows), within(weft.picked[1] + right, cols)];
  }

  function listen() {
    for (const target of [canvas, zoom]) {
      target.addEventListener('pointermove', (event) => point(target, event));
      target.addEventListener('pointerdown', (event) => point(target, event));
      target.addEventListener('pointerleave', weft.hide_tip);
      target.addEventListener('keydown', picture_key);
      target.addEventListener('click', (event) => pick(pe_under(target, event)));
    }
    weft.on('cycle', () => weft.draw_soon('array', draw_all));
    weft.on('phase', () => weft.draw_soon('array-picture', draw_picture));
  }

  // --- The section -----------------------------------------------------------------------------

  function heat_controls() {
    const select = el('select', {id: 'quantity'}, ...Object.entries(weft.heat_quantities)
      .map(([name, label]) => el('option', {value: name}, label)));
    select.addEventListener('change', () => {
      weft.heat.quantity = select.value;
      weft.draw_soon('array', draw_all);
    });
    const side = el('select', {id: 'window-side'}, ...weft.heat_sides.map((pes) =>
      el('option', {value: pes}, `${pes} \u00d7 ${pes} PEs`)));
    side.value = String(weft.heat.side);
    side.addEventListener('change', () => {
      weft.heat.side = Number(side.value);
      arrange(whole.clientWidth);
    });
    return el('p', {class: 'controls', id: 'heat-controls', hidden: ''},
      el('label', null, 'Picture of the ', select),
      el('label', null, 'Window of ', side),
      el('span', {class: 'hint'}, 'purple below zero, green above, orange the swap, blue a push ' +
        '(of shadow weights); drag the frame, or move it with Shift and the arrow keys'));
  }

  function legend() {
    const entry = (kind, text) => el('span', null, weft.key(kind), text);
    return el('p', {class: 'legend'}, entry('act', 'activation, one PE to the right per cycle'),
      entry('weight', 'active weight'), entry('shadow', 'shadow weight, of the next tile'),
      entry('sum', 'partial sum, one PE down per cycle'), entry('push', 'a push is here'),
      entry('swap', 'the swap wave: shadow becomes active'),
      entry('busy', 'works on a row'), entry('padding', 'works on padding'));
  }

  function build(section) {
    canvas = el('canvas', {id: 'array-canvas', tabindex: 0, role: 'img',
      'aria-label': 'Registers of the array in the current cycle'});
    zoom = el('canvas', {id: 'zoom-canvas', tabindex: 0, role: 'img', hidden: '',
      'aria-label': 'PEs in the window'});
    words = el('p', {class: 'readout', id: 'array-words'});
    pe_readout = el('p', {class: 'readout', id: 'pe'});
    beyond = el('p', {class: 'beyond', hidden: ''}, 'The array is recorded up to ' +
      `cycle ${weft.count(weft.recording.end - 1)}; the drawing keeps showing that cycle.`);
    sums = el('table', {class: 'sums', id: 'sums'});
    stage = el('div', {class: 'stage array-stage scroll'}, canvas, zoom);
    whole = el('div', {class: 'array-layout'}, stage,
      el('div', {class: 'written'}, el('h3', null, 'Written to the accumulators'),
        el('div', {class: 'scroll'}, sums)));
    const key = legend();
    section.append(heat_controls(), words, beyond, whole, pe_readout, key);
    weft.let_save(section, () => [stage, key], () => `cycle ${drawn_cycle()}`);
  }

  weft.draw_array = function () {
    if (!weft.total) return;
    const section = weft.section('array', weft.recording ? 'The array, cycle by cycle' : 'Time',
      weft.recording ? 'Activations enter at the left, each row of PEs one cycle after the row ' +
        'above; weights wait in the shadow registers until the swap that comes with the first row ' +
        'of their tile; sums flow down and leave, aligned, into the accumulators.' : '');
    section.append(weft.transport());
    section.classList.toggle('only-controls', !weft.recording);  // hidden in print
    if (!weft.recording) return;
    build(section);
    listen();
    weft.keep_drawn(whole, arrange);
  };
})(globalThis.weft);
