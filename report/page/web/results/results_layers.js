// The layers of two results, matched by name: the cycles of each in A and in B, and bars by class
// on one scale for all of them.
'use strict';

(function (weft) {
  const {el} = weft;
  const kNone = '\u2013';

  const cycles_of = (run) => (run && run.cycles ? run.cycles.total : null);

  /** Text of a property of both runs: once if it is the same in both. */
  function either(a, b, text) {
    const [of_a, of_b] = [a, b].map((run) => (run ? text(run) : null));
    if (of_a === null || of_b === null || of_a === of_b) return of_a ?? of_b;
    return `${of_a} \u2192 ${of_b}`;
  }

  function bar(name, run, longest) {
    const total = cycles_of(run);
    if (!total) return el('span', {class: 'mini'});
    const parts = weft.ledger_parts(run.cycles).filter(({cycles}) => cycles > 0);
    const words = parts.map((part) =>
      `${weft.class_style(part.name).label} ${weft.count(part.cycles)}`);
    const node = el('span', {class: 'mini', role: 'img', 'aria-label': `${name}: ${words}`},
      ...parts.map((part) => {
        const piece = el('i');
        piece.style.width = `${(100 * part.cycles) / total}%`;
        weft.paint_element(piece, part.name);
        return piece;
      }));
    node.style.width = `${Math.max(0.5, (100 * total) / longest)}%`;
    node.addEventListener('pointermove', (event) =>
      weft.show_tip([`${name}: ${weft.count(total)} cycles`, ...words], event.clientX,
        event.clientY));
    node.addEventListener('pointerleave', weft.hide_tip);
    return node;
  }

  function used(run) {
    return run && typeof run.utilization === 'number' ? weft.percent(run.utilization) : kNone;
  }

  // --- Order -----------------------------------------------------------------------------------

  const kOrders = {
    order: {name: '#', of: (row) => row.order, first: 1},
    name: {name: 'layer', of: (row) => row.name, first: 1},
    a: {name: 'A', of: (row) => row.cycles.a, first: -1},
    b: {name: 'B', of: (row) => row.cycles.b, first: -1},
    difference: {name: 'B \u2212 A', of: (row) => row.cycles.difference, first: -1},
    change: {name: 'change', of: (row) => row.cycles.change, first: -1},
  };

  let sorted = {key: 'order', direction: 1};

  /** Rows without a value come last in either direction. */
  function compare(x, y) {
    const [a, b] = [x, y].map(kOrders[sorted.key].of);
    const [no_a, no_b] = [a, b].map((value) => value === null);
    if (no_a || no_b) return no_a - no_b || x.order - y.order;
    const way = typeof a === 'number' ? a - b : a.localeCompare(b, 'en');
    return sorted.direction * way || x.order - y.order;
  }

  // --- The section -----------------------------------------------------------------------------

  function line(row, longest) {
    const {a, b, name} = row;
    return el('tr', {'data-layer': row.order}, el('td', {class: 'number'}, String(row.order + 1)),
      el('th', {scope: 'row', class: 'text'}, name), ...weft.difference_cells(row.cycles),
      el('td', {class: 'ledger pair-bars'}, bar('A', a, longest), bar('B', b, longest)),
      el('td', {class: 'number'}, used(a)), el('td', {class: 'number'}, used(b)),
      el('td', {class: 'text'}, either(a, b, (run) => run.where)),
      el('td', {class: 'text'}, either(a, b, (run) => run.operator)));
  }

  function head(key, again) {
    const sort = () => {
      const {first} = kOrders[key];
      sorted = {key, direction: sorted.key === key ? -sorted.direction : first};
      again();
    };
    return el('th', {'scope': 'col', 'class': key === 'name' ? 'text' : 'number', 'data-key': key},
      weft.button(kOrders[key].name, {class: 'sort'}, sort));
  }

  function mark(heads) {
    for (const node of heads) {
      node.setAttribute('aria-sort', node.dataset.key !== sorted.key ? 'none'
        : sorted.direction > 0 ? 'ascending' : 'descending');
    }
  }

  weft.draw_result_layers = function ({layers}) {
    if (layers.length === 0) return;
    const rows = layers.map((layer, order) => ({...layer, order,
      cycles: weft.cycles_row(cycles_of(layer.a), cycles_of(layer.b))}));
    const longest = Math.max(1, ...rows.flatMap(({cycles}) => [cycles.a || 0, cycles.b || 0]));
    for (const row of rows) row.element = line(row, longest);
    const body = el('tbody');
    const heads = Object.keys(kOrders).map((key) => head(key, () => show()));
    const show = () => {
      mark(heads);
      body.replaceChildren(...[...rows].sort(compare).map(({element}) => element));
    };
    const plain = (text, kind) => el('th', {scope: 'col', class: `plain ${kind}`}, text);
    const table = el('table', {class: 'layers pair-layers', id: 'pair-layers-table'},
      el('thead', null, el('tr', null, ...heads, plain('cycles by class, A above B', 'text'),
        plain('A used', 'number'), plain('B used', 'number'), plain('runs on', 'text'),
        plain('operator', 'text'))), body);
    const section = weft.section('layers', 'Layers',
      'Layers of the same name stand side by side, and all bars have one scale. A dash: the run ' +
      'does not have the layer, or the host computes it. Choose a heading to sort.');
    section.append(el('div', {class: 'scroll'}, table));
    weft.let_save(section, () => [table]);
    show();
  };
})(globalThis.weft);
