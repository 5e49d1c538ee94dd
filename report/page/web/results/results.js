// Two results side by side: their main figures, and their cycles and traffic as bars on a common
// scale, each with the difference from A to B.
'use strict';

(function (weft) {
  const {data, el, svg} = weft;
  const kBar = 34;
  const kGap = 8;
  const kLeft = 26;        // room for the names A and B
  const kRight = 20;       // and for half of the last tick's text
  const kAxis = 22;
  const kLabelFrom = 54;   // least pixels of a piece with text
  const kNone = '\u2013';

  const is_number = (value) => typeof value === 'number';

  // --- Values and differences ------------------------------------------------------------------

  const kUnits = {
    'cycles': weft.count,
    's': weft.duration,
    'B': (value) => weft.short(value, 'B'),
    'MAC': (value) => weft.short(value, 'MAC'),
    'OP/s': (value) => weft.short(value, 'OP/s'),
    'share': weft.percent,
    'J': (value) => weft.physical(value, 'J'),
    'W': (value) => weft.physical(value, 'W'),
    'pJ': (value) => weft.physical(value * 1e-12, 'J'),
    'mm2': (value) => `${Number(value.toPrecision(3))}\u202fmm²`,
    'price': (value) => String(Number(value.toPrecision(4))),
  };

  const value_text = (row, value) => (is_number(value) ? kUnits[row.unit](value) : kNone);

  const signed = (value, text) => (value > 0 ? `+${text}` : value < 0 ? `\u2212${text}` : '0');

  function difference_text(row) {
    const {difference} = row;
    if (!is_number(difference)) return kNone;
    const size = Math.abs(difference);
    return signed(difference, row.unit === 'share' ? `${(100 * size).toFixed(1)}\u202fpoints`
      : kUnits[row.unit](size));
  }

  /** The change as a share of A; never rounded to none. */
  function change_text({change}) {
    if (!is_number(change)) return kNone;
    const percents = 100 * Math.abs(change);
    const digits = percents >= 1000 ? weft.count(percents)
      : percents < 0.05 ? String(Number(percents.toPrecision(1))) : percents.toFixed(1);
    return signed(change, `${digits}\u202f%`).replace(/^0$/, '0\u202f%');
  }

  /** A row for cycles that are not in the data, such as a layer's. */
  weft.cycles_row = function (a, b) {
    const both = is_number(a) && is_number(b);
    return {unit: 'cycles', a, b, difference: both ? b - a : null,
      change: !both ? null : a === b ? 0 : a === 0 ? null : (b - a) / a};
  };

  /** The cells of A, B, the difference and the change. */
  weft.difference_cells = (row) => [value_text(row, row.a), value_text(row, row.b),
    difference_text(row), change_text(row)].map((text) => el('td', {class: 'number'}, text));

  weft.difference_heads = ['A', 'B', 'B \u2212 A', 'change'];

  function table(id, name, rows, label) {
    const line = (row) => el('tr', {'data-key': row.key}, el('th', {scope: 'row'}, ...label(row)),
      ...weft.difference_cells(row));
    return el('table', {class: 'pair', id}, el('thead', null, el('tr', null,
      el('th', {scope: 'col'}, name), ...weft.difference_heads.map((text) =>
        el('th', {scope: 'col', class: 'number'}, text)))),
    el('tbody', null, ...rows.map(line)));
  }

  // --- Bars on a common scale ------------------------------------------------------------------

  /** Bars {name, words, parts: [{name, value, fill, text}]}, one below the other. */
  function draw_bars(width, bars, defs, tick_text, label) {
    const height = bars.length * (kBar + kGap) + kAxis;
    const most = Math.max(...bars.map(({parts}) => d3.sum(parts, ({value}) => value)), 1e-30);
    const x = d3.scaleLinear().domain([0, most]).range([kLeft, width - kRight]);
    const root = svg('svg', {...weft.chart_size(width, height), 'role': 'img', 'aria-label': label},
      defs);
    const bottom = bars.length * (kBar + kGap) - kGap + 2;
    d3.select(root).append('g').attr('class', 'axis').attr('transform', `translate(0,${bottom})`)
      .call(d3.axisBottom(x).ticks(Math.max(2, width / 130)).tickFormat(tick_text));
    bars.forEach(({name, parts}, i) => {
      const y = i * (kBar + kGap);
      root.append(svg('text', {x: 4, y: y + kBar / 2 + 5, class: 'bar-name'}, name));
      let from = 0;
      for (const part of parts) {
        if (part.value > 0) root.append(...piece(part, x(from), x(from + part.value), y));
        from += part.value;
      }
    });
    return root;
  }

  function piece(part, from, to, y) {
    const box = svg('rect', {'x': from, y, 'width': Math.max(0.5, to - from - 1), 'height': kBar,
      'fill': part.fill, 'class': 'pair-piece', 'data-part': part.name},
    svg('title', null, `${part.label}: ${part.text}`));
    if (to - from < kLabelFrom) return [box];
    return [box, svg('text', {x: from + 7, y: y + kBar / 2 + 5, class: 'on-bar'}, part.share)];
  }

  const share_of = (value, total) => weft.percent(total > 0 ? value / total : 0, 0);

  /** The bars of A and B for the data's rows; `fill` and `label` belong to a row's key. */
  function bars_of(rows, scale, fill, label) {
    return ['a', 'b'].map((run) => {
      const total = d3.sum(rows, (row) => row[run] || 0);
      return {name: run.toUpperCase(), parts: rows.map((row) => ({name: row.key,
        value: (row[run] || 0) * scale[run], fill: fill(row.key), label: label(row),
        text: value_text(row, row[run]), share: share_of(row[run], total)}))};
    });
  }

  // --- Runs ------------------------------------------------------------------------------------

  const kFacts = [
    ['workload', (run) => run.workload],
    ['machine', ({machine: m}) => `${m.title}: ${m.rows} × ${m.cols} PEs, ${m.dtype}, ` +
      `${m.clock_mhz} MHz`],
    ['memory', ({machine: m}) => (m.memory_kind === 'ideal' ? 'ideal'
      : `${m.memory_kind}, ${m.memory_gb_per_s} GB/s`)],
    ['engine', (run) => run.engine],
    ['result', (run) => run.file]];

  /** The changes that matter most, in large figures. */
  function headline({main, traffic}) {
    const rows = [...main, ...traffic].filter(({key}) =>
      ['total', 'seconds', 'utilization', 'bytes'].includes(key));
    return el('dl', {class: 'figures'}, ...rows.map((row) => el('div', {class: 'figure'},
      el('dt', null, row.name), el('dd', null, change_text(row)),
      el('dd', {class: 'remark'}, `${value_text(row, row.a)} \u2192 ${value_text(row, row.b)}`))));
  }

  function draw_runs(results) {
    const section = weft.section('runs', 'The two runs',
      'A difference is B minus A; a change is its share of A.');
    const head = ['', 'A', 'B'].map((text) => el('th', {scope: 'col'}, text));
    section.append(headline(results), el('div', {class: 'columns of-two'},
      el('div', {class: 'scroll'}, el('table', {class: 'facts-of-two', id: 'runs-table'},
        el('thead', null, el('tr', null, ...head)),
        el('tbody', null, ...kFacts.map(([name, text]) => el('tr', null,
          el('th', {scope: 'row'}, name), ...['a', 'b'].map((run) =>
            el('td', null, text(results[run])))))))),
      el('div', {class: 'scroll'},
        table('main-table', 'figure', results.main, (row) => [row.name]))));
  }

  function draw_machines({machine_differences: keys}) {
    const section = weft.section('machines', 'In what the machines differ',
      keys.length ? 'Keys as in an INI file. weft explain --why tells what each of them costs.'
        : 'They do not differ in any key.');
    if (keys.length === 0) return;
    section.append(el('div', {class: 'scroll'},
      el('table', {class: 'keys-of-two', id: 'keys-table'},
      el('thead', null, el('tr', null, ...['key', 'A', 'B'].map((text) =>
        el('th', {scope: 'col'}, text)))),
      el('tbody', null, ...keys.map(({key, a, b}) => el('tr', null,
        el('th', {scope: 'row'}, el('code', null, key)), el('td', null, a), el('td', null, b)))))));
  }

  // --- Cycles ----------------------------------------------------------------------------------

  const clock = (run) => 1e6 * run.machine.clock_mhz;

  /** With different clocks, cycles of A and B are not equally long: the reader can see the time. */
  function scale_choice(again) {
    const select = el('select', {id: 'pair-scale'}, el('option', {value: 'cycles'}, 'cycles'),
      el('option', {value: 'time'}, 'time'));
    select.addEventListener('change', again);
    return [select, el('label', {class: 'controls'}, 'Lengths are ', select)];
  }

  function draw_cycles(results) {
    const {a, b, ledger} = results;
    const section = weft.section('ledgers', 'Where the cycles went',
      'Both bars have one scale. Every cycle is counted once, in one class.');
    const stage = el('div', {class: 'stage'});
    const [select, choice] = scale_choice(() => draw(stage.clientWidth));
    const in_time = () => select.value === 'time';
    const scale = () => (in_time() ? {a: 1 / clock(a), b: 1 / clock(b)} : {a: 1, b: 1});
    const draw = (width) => stage.replaceChildren(draw_bars(width,
      bars_of(ledger, scale(), (key) => `url(#ledgers-${key})`,
        (row) => weft.class_style(row.key).label), weft.pattern_defs('ledgers'),
      in_time() ? (value) => (value > 0 ? weft.duration(value) : '0') : weft.count,
      `Cycles by class: A ${a.cycles.total}, B ${b.cycles.total}`));
    const classes = table('ledgers-table', 'class', [...ledger, total_row(results)], (row) =>
      (row.key === 'total' ? ['total']
        : [weft.swatch(row.key), ` ${weft.class_style(row.key).label}`]));
    if (clock(a) !== clock(b)) section.append(choice);
    section.append(stage, el('div', {class: 'scroll'}, classes));
    weft.let_save(section, () => [stage, classes]);
    weft.keep_drawn(stage, draw);
  }

  const total_row = ({main}) => main.find(({key}) => key === 'total');

  // --- Traffic ---------------------------------------------------------------------------------

  const kTraffic = {
    weight_bytes: {color: '#e69f00', pattern: 'rising'},
    input_bytes: {color: '#56b4e9', pattern: 'plain'},
    output_bytes: {color: '#8c5a9e', pattern: 'level'},
  };

  function traffic_pattern(id, key) {
    const {pattern, color} = kTraffic[key];
    return weft.svg_pattern(id, pattern, color, 'rgba(0,0,0,.55)');
  }

  function traffic_swatch(key) {
    return svg('svg', {'class': 'swatch', 'width': 16, 'height': 12, 'aria-hidden': 'true'},
      svg('defs', null, traffic_pattern(`key-${key}`, key)),
      svg('rect', {width: 16, height: 12, rx: 2, fill: `url(#key-${key})`}));
  }

  function draw_traffic({traffic}) {
    const section = weft.section('traffic', 'Traffic',
      'Bytes between the memory and the machine, padding included. Both bars have one scale.');
    const parts = traffic.filter(({key}) => Object.hasOwn(kTraffic, key));
    const stage = el('div', {class: 'stage'});
    const rows = table('traffic-table', 'bytes of', traffic, (row) => [
      Object.hasOwn(kTraffic, row.key) ? traffic_swatch(row.key) : '', ` ${row.name}`]);
    section.append(stage, el('div', {class: 'scroll'}, rows));
    weft.let_save(section, () => [stage, rows]);
    weft.keep_drawn(stage, (width) => stage.replaceChildren(draw_bars(width,
      bars_of(parts, {a: 1, b: 1}, (key) => `url(#traffic-${key})`, (row) => row.name),
      svg('defs', null, ...parts.map(({key}) => traffic_pattern(`traffic-${key}`, key))),
      (value) => weft.short(value, 'B'), 'Bytes of weights, inputs and outputs of A and B')));
  }

  // --- Energy, area and price ------------------------------------------------------------------

  function draw_cost({cost, cost_notes: notes}) {
    if (cost.length === 0) return;
    const section = weft.section('cost', 'What they cost',
      'Energy of the events, and static power times the time. The area is that of the array\u2019s ' +
      'cells; a price is that of a million runs, or inferences of a network.');
    section.append(el('div', {class: 'scroll'},
      table('cost-table', 'figure', cost, (row) => [row.name])),
    ...notes.map((note) => el('p', {class: 'hint'}, note)));
  }

  weft.draw_results = function () {
    const {results} = data;
    if (!results) return;
    draw_runs(results);
    draw_cycles(results);
    draw_traffic(results);
    draw_cost(results);
    draw_machines(results);
    weft.draw_result_layers(results);
  };
})(globalThis.weft);
