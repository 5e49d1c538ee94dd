// Tables of points. Only the rows in view are elements, so ten thousand points scroll like ten.
'use strict';

(function (weft) {
  const {el, points} = weft;
  if (!points) return;
  const kRow = 30;          // pixels, as in the style sheet
  const kMostShown = 17;    // rows in view, at least
  const kSpare = 4;         // rows above and below the view
  const kLetter = 7.4;      // pixels
  const kWidest = 640;
  const kTallest = 560;     // of the table
  const kScrollBar = 18;

  /** Columns {key, label, text, value, kind, wide}: `value` orders rows, `wide` is in pixels. */
  function plain_column(column, rows) {
    const sample = rows.slice(0, 200);
    // A heading takes two lines if it must.
    const letters = Math.max(column.label.length / 2 + 4,
      ...column.label.split(' ').map((word) => word.length + 2),
      ...Array.from(sample, (row) => weft.point_text(column, row).length));
    return {key: column.name, label: column.label, kind: column.words ? 'text' : 'number',
      value: (row) => column.values[row], text: (row) => weft.point_text(column, row),
      wide: Math.min(kWidest, 20 + kLetter * letters)};
  }

  const number_column = {key: 'point', label: 'point', kind: 'number', wide: 84,
    value: (row) => row, text: (row) => weft.count(points.number(row))};
  const front_column = {key: 'front', label: 'front', kind: 'text', wide: 74,
    value: (row) => -points.on_front[row], text: (row) => (points.on_front[row] ? '◆' : '')};
  const command_column = {key: 'command', label: 'command', kind: 'command', wide: 104};

  // --- Order -----------------------------------------------------------------------------------

  /** Rows without a value come last either way; equal ones stay in the order of the database. */
  function sorted(rows, {value}, direction) {
    return Int32Array.from(rows).sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      const [no_x, no_y] = [Number.isNaN(x), Number.isNaN(y)];
      if (no_x || no_y) return no_x - no_y || a - b;
      return direction * (x - y) || a - b;
    });
  }

  // --- A table ---------------------------------------------------------------------------------

  class PointTable {
    /** `all()` are its rows and `kept(row)` says whether one is shown; `columns()` its columns. */
    constructor(id, label, {all, kept, columns}) {
      Object.assign(this, {id, all, kept, get_columns: columns, pool: [], shown: []});
      this.by = {key: 'point', direction: 1};
      this.head = el('tr');
      this.widths = el('colgroup');
      this.body = el('tbody');
      this.above = el('tr', {'class': 'spacer', 'aria-hidden': 'true'});
      this.below = el('tr', {'class': 'spacer', 'aria-hidden': 'true'});
      this.table = el('table', {'class': 'layers points-table', id}, this.widths,
        el('thead', null, this.head), this.body);
      this.node = el('div', {'class': 'scroll points-scroll', 'tabindex': 0, 'role': 'region',
        'aria-label': label}, this.table);
      this.node.addEventListener('scroll', () => weft.draw_soon(this, () => this.fill()));
      this.body.addEventListener('click', (event) => this.#click(event));
    }

    /** After a change of the columns or of the workload. */
    set_columns() {
      this.columns = this.get_columns();
      if (!this.columns.some(({key}) => key === this.by.key)) {
        this.by = {key: 'point', direction: 1};
      }
      this.widths.replaceChildren(...this.columns.map(({wide}) => {
        const col = el('col');
        col.style.width = `${wide}px`;
        return col;
      }));
      this.table.style.width = `${this.columns.reduce((sum, {wide}) => sum + wide, 0)}px`;
      this.head.replaceChildren(...this.columns.map((column) => this.#heading(column)));
      this.pool = [];
      this.node.scrollTop = 0;
      this.sort();
    }

    sort() {
      const column = this.columns.find(({key}) => key === this.by.key);
      this.order = sorted(this.all(), column, this.by.direction);
      for (const node of this.head.children) {
        const {key} = node.dataset;
        if (key === 'command') continue;
        node.setAttribute('aria-sort', key !== this.by.key ? 'none'
          : this.by.direction > 0 ? 'ascending' : 'descending');
      }
      this.filter();
    }

    filter() {
      this.shown = this.order.filter((row) => this.kept(row));
      this.table.setAttribute('aria-rowcount', this.shown.length + 1);
      const whole = this.head.offsetHeight + this.all().length * kRow + kScrollBar;
      this.node.style.height = `${Math.min(kTallest, whole)}px`;
      this.fill();
    }

    /** Fills the rows in view. */
    fill() {
      const {shown, columns, node} = this;
      const first = Math.max(0, Math.min(Math.floor(node.scrollTop / kRow) - kSpare,
        shown.length - kMostShown));
      const many = Math.min(shown.length - first, kMostShown + 2 * kSpare);
      while (this.pool.length < many) this.pool.push(this.#new_row());
      for (let i = 0; i < many; ++i) this.#set_row(this.pool[i], shown[first + i], first + i);
      this.above.style.height = `${first * kRow}px`;
      this.below.style.height = `${(shown.length - first - many) * kRow}px`;
      const wanted = [this.above, ...this.pool.slice(0, many), this.below];
      if (wanted.length !== this.body.children.length || this.columns !== this.drawn) {
        this.body.replaceChildren(...wanted);
        this.drawn = columns;
      }
    }

    #new_row() {
      const cells = this.columns.map(({kind}) => (kind === 'command'
        ? el('td', {class: 'command-cell'}, el('button',
          {type: 'button', class: 'row-button', tabindex: 0}, 'command'))
        : el('td', {class: kind}, '')));
      return el('tr', null, ...cells);
    }

    #set_row(line, row, at) {
      line.dataset.row = row;
      line.setAttribute('aria-rowindex', at + 2);
      line.classList.toggle('chosen', row === points.chosen);
      this.columns.forEach((column, i) => {
        const cell = line.children[i];
        if (column.kind === 'command') {
          cell.firstChild.setAttribute('aria-label',
            `Copy the command of point ${weft.count(points.number(row))}`);
          return;
        }
        const text = column.text(row);
        if (cell.firstChild.data === text) return;
        cell.firstChild.data = text;
        if (column.wide >= kWidest) cell.title = text;
      });
    }

    #click(event) {
      const line = event.target.closest('tr[data-row]');
      if (!line) return;
      const row = Number(line.dataset.row);
      weft.choose_point(row);
      if (event.target.closest('button')) weft.copy_command(row);
    }

    #heading({key, label, kind}) {
      if (kind === 'command') {
        return el('th', {'scope': 'col', 'class': 'command-cell', 'data-key': key}, label);
      }
      const choose = () => {
        const same = this.by.key === key;
        this.by = {key, direction: same ? -this.by.direction : 1};
        this.sort();
      };
      return el('th', {'scope': 'col', 'class': kind, 'data-key': key},
        weft.button(label, {class: 'sort'}, choose));
    }
  }

  // --- The sections ----------------------------------------------------------------------------

  const in_table = (all) => points.listed.map((column) => plain_column(column, all()));

  weft.draw_points_table = function () {
    const section = weft.section('points', 'Points',
      'Choose a heading to sort. The button of a point copies the command that runs it alone.');
    const only = el('input', {type: 'checkbox', id: 'front-only'});
    const all = () => points.rows;
    const table = new PointTable('points-table', 'Points', {all,
      kept: (row) => points.mask[row] && (!only.checked || points.on_front[row]),
      columns: () => [number_column, command_column, front_column, ...in_table(all)]});
    const soon = () => weft.draw_soon('table', () => table.filter());
    only.addEventListener('change', soon);
    section.append(el('div', {class: 'controls'}, el('label', null, only, ' Only the front')),
      table.node);
    weft.on('columns', () => {
      section.hidden = points.rows.length === 0;
      table.set_columns();
    });
    weft.on('front', () => (table.by.key === 'front'
      ? weft.draw_soon('table', () => table.sort()) : soon()));
    weft.on('chosen', () => weft.draw_soon('table', () => table.fill()));
    weft.points_table = table;
  };

  weft.draw_failures = function () {
    if (points.failed_rows.length === 0) return;
    const section = weft.section('failed', 'Failed points',
      'They have no figures; a brush on a figure hides them.');
    const words = el('p', {class: 'hint', id: 'failed-words'});
    const all = () => points.failures;
    const error = points.by_name.get('error');
    const table = new PointTable('failed-table', 'Failed points', {all,
      kept: (row) => points.mask[row],
      columns: () => [number_column, command_column, {...plain_column(error, all()), wide: kWidest},
        ...weft.swept_columns().map((column) => plain_column(column, all()))]});
    section.append(words, table.node);
    weft.on('work', () => {
      section.hidden = points.failures.length === 0;
      table.set_columns();
    });
    weft.on('points', () => weft.draw_soon('failed', () => {
      const kinds = weft.distinct(error, points.shown_failures).length;
      words.textContent = `${weft.plural(points.shown_failures.length, 'point')}, ` +
        `${weft.plural(kinds, 'different error')}.`;
      table.filter();
    }));
    weft.on('chosen', () => weft.draw_soon('failed-rows', () => table.fill()));
    weft.failed_table = table;
  };
})(globalThis.weft);
