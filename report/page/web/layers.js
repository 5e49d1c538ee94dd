// The table of layers, sortable by any column. A chosen row shows its tile map and its mapping, and
// goes to its first cycle.
'use strict';

(function (weft) {
  const {data, el} = weft;

  const dash = '\u2013';
  const number = (value, text) => (value === null || value === undefined ? dash : text(value));

  const kColumns = [
    {key: 'order', name: '#', kind: 'number', cell: (row) => String(row.order + 1)},
    {key: 'name', name: 'layer', kind: 'text', cell: name_cell},
    {key: 'on', name: 'runs on', kind: 'text', cell: on_cell},
    {key: 'cycles', name: 'cycles', kind: 'number', cell: (row) => number(row.cycles, weft.count)},
    {key: 'ledger', name: 'cycles by class', kind: 'none', cell: ledger_cell},
    {key: 'path', name: 'critical path', kind: 'number', cell: (row) => number(row.path, weft.count)},
    {key: 'mostly', name: 'mostly', kind: 'none', cell: path_cell},
    {key: 'utilization', name: 'used', kind: 'number',
      cell: (row) => weft.percent(row.utilization)},
    {key: 'padding', name: 'padding', kind: 'number', cell: (row) => weft.percent(row.padding)},
    {key: 'tiles', name: 'tiles', kind: 'number', cell: (row) => number(row.tiles, weft.count)},
    {key: 'operator', name: 'operator', kind: 'text', cell: (row) => row.operator},
    {key: 'shape', name: 'result', kind: 'text', cell: (row) => row.shape},
  ];

  let rows, body, heads, longest, why;
  let sorted = {key: 'order', direction: 1};
  let chosen = -1;

  // --- Cells -----------------------------------------------------------------------------------

  function name_cell(row) {
    const button = weft.button(row.name, {class: 'row-button', 'aria-pressed': 'false'},
      () => choose(row));
    if (row.why) button.title = row.why;
    return button;
  }

  function on_cell(row) {
    return el('span', {class: `on on-${row.on}`}, row.on);
  }

  function ledger_cell(row) {
    return row.cycles ? weft.ledger_bar(row.cycles, row.ledger || {}, longest) : dash;
  }

  /** The largest part of the layer's critical path. */
  function path_cell(row) {
    const [part] = weft.path_parts(row.critical_path);
    return part ? `${part.label} ${weft.percent(part.cycles / row.path, 0)}` : dash;
  }

  // --- Order -----------------------------------------------------------------------------------

  /** Rows without a value come last in either direction. */
  function compare(a, b) {
    const [x, y] = [a[sorted.key], b[sorted.key]];
    const [no_x, no_y] = [x === null || x === undefined, y === null || y === undefined];
    if (no_x || no_y) return no_x - no_y || a.order - b.order;
    const way = typeof x === 'number' ? x - y : String(x).localeCompare(String(y), 'en');
    return sorted.direction * way || a.order - b.order;
  }

  function sort_by(column) {
    const again = sorted.key === column.key;
    const first = column.kind === 'number' && column.key !== 'order' ? -1 : 1;
    sorted = {key: column.key, direction: again ? -sorted.direction : first};
    show();
  }

  function head(column) {
    if (column.kind === 'none') return el('th', {scope: 'col', class: 'none'}, column.name);
    return el('th', {scope: 'col', class: column.kind, 'data-key': column.key},
      weft.button(column.name, {class: 'sort'}, () => sort_by(column)));
  }

  function mark_heads() {
    for (const th of heads.querySelectorAll('th[data-key]')) {
      const is = th.dataset.key === sorted.key;
      const way = sorted.direction > 0 ? 'ascending' : 'descending';
      th.setAttribute('aria-sort', is ? way : 'none');
    }
  }

  function show() {
    mark_heads();
    rows.sort(compare);
    body.replaceChildren(...rows.map((row) => row.element));
  }

  // --- Selection -------------------------------------------------------------------------------

  function choose(row) {
    chosen = row.order;
    for (const each of rows) mark_chosen(each);
    why.textContent = row.why ? `${row.name}: ${row.why}` : '';
    if (row.begin !== null && row.begin !== undefined) weft.go_to(row.begin);
    if (row.tile_map !== null && row.tile_map !== undefined) weft.select_map(row.tile_map);
    weft.tell('layer', row);
  }

  function mark_chosen(row) {
    const is = row.order === chosen;
    row.element.classList.toggle('chosen', is);
    row.element.querySelector('.row-button').setAttribute('aria-pressed', String(is));
  }

  // --- The section -----------------------------------------------------------------------------

  function table_row(row) {
    return el('tr', {'data-layer': row.order}, ...kColumns.map((column) =>
      el('td', {class: `${column.kind} ${column.key}`}, column.cell(row))));
  }

  weft.draw_layers = function () {
    if (!data.layers || data.layers.length === 0) return;
    rows = data.layers.map((layer, order) => ({...layer, order}));
    longest = Math.max(1, ...rows.map((row) => row.cycles || 0));
    for (const row of rows) row.element = table_row(row);
    const section = weft.section('layers', 'Layers',
      'Choose a layer to see its tile map and mapping and to go to its first cycle; choose a ' +
      'heading to sort.');
    body = el('tbody');
    heads = el('thead', null, el('tr', null, ...kColumns.map(head)));
    why = el('p', {class: 'readout', id: 'why', 'aria-live': 'polite'});
    const table = el('table', {class: 'layers', id: 'layers-table'}, heads, body);
    section.append(el('div', {class: 'scroll'}, table), why);
    weft.let_save(section, () => [table]);
    show();
  };

  /** Shows the layer that the page is about. */
  weft.choose_asked = function () {
    if (data.asked !== undefined) choose(rows.find((row) => row.order === data.asked));
  };
})(globalThis.weft);
