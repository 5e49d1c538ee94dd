// What all figures of a sweep's page share: the choice of the workload, how many points are shown,
// and the brushes.
'use strict';

(function (weft) {
  const {el, points} = weft;
  if (!points) return;
  const kSpokenAfter = 600;  // ms without a change, until the count is read out

  weft.brush_words = function (column, [low, high]) {
    if (!column.words) {
      const [a, b] = [low, high].map((value) => weft.value_text(column, value));
      return a === b ? a : `${a} to ${b}`;
    }
    const [first, last] = [Math.ceil(low), Math.floor(high)].map((at) => column.words[at]);
    return Math.ceil(low) > Math.floor(high) ? 'nothing' : first === last ? first
      : `${first} to ${last}`;
  };

  // --- Brushes as exact numbers ----------------------------------------------------------------

  /** A field for each end of a brush: a number, or one of the column's texts. */
  function ends_of(column) {
    const [low, high] = points.brushes.get(column.name) ||
      weft.range_of(column, [...points.rows, ...points.failures]);
    const field = (id, value) => {
      if (!column.words) return el('input', {id, type: 'number', step: 'any', value});
      const select = el('select', {id}, ...weft.distinct(column, [...points.rows,
        ...points.failures]).map((at) => el('option', {value: at}, column.words[at])));
      select.value = String(id === 'brush-low' ? Math.ceil(value) : Math.floor(value));
      return select;
    };
    return [field('brush-low', low), field('brush-high', high)];
  }

  /** A brush for readers who type. */
  weft.brush_form = function () {
    const select = el('select', {id: 'brush-column'});
    const place = el('span', {class: 'brush-ends'});
    let fields = [];
    const fill = () => {
      const column = points.by_name.get(select.value);
      fields = column ? ends_of(column) : [];
      if (column) {
        place.replaceChildren(el('label', null, 'from ', fields[0]),
          el('label', null, 'to ', fields[1]));
      }
    };
    const apply = () => {
      const [low, high] = fields.map(({value}) => Number(value));
      if (fields.some(({value}) => value === '')) return weft.say('Give two numbers');
      return weft.set_brush(select.value, low, high);
    };
    select.addEventListener('change', fill);
    weft.on('columns', () => {
      const old = select.value;
      select.replaceChildren(...points.listed.map(({name, label}) =>
        el('option', {value: name}, label)));
      if (points.listed.some(({name}) => name === old)) select.value = old;
      fill();
    });
    weft.on('points', () => {
      const column = points.by_name.get(select.value);
      if (!column || place.contains(document.activeElement)) return;
      const [low, high] = points.brushes.get(column.name) || [];
      if (low === undefined) return;
      fields[0].value = column.words ? Math.ceil(low) : low;
      fields[1].value = column.words ? Math.floor(high) : high;
    });
    return el('div', {class: 'controls only-controls'}, el('label', null, 'Brush ', select), place,
      weft.button('Set', {id: 'brush-set'}, apply));
  };

  const chip_text = (name, brush) => {
    const column = points.by_name.get(name);
    return `${column.label}: ${weft.brush_words(column, brush)}`;
  };

  function chip(name, text) {
    return el('span', {class: 'chip'}, text, weft.button('×', {'class': 'drop',
      'data-column': name, 'aria-label': `Remove the brush ${text}`}, () => {
      weft.drop_brush(name);
      document.getElementById('brush-clear').focus();
    }));
  }

  /** Shows these chips. A chip that stays is not moved: it would lose its focus, or a click. */
  function show_chips(place, wanted) {
    for (const old of [...place.children]) if (!wanted.includes(old)) old.remove();
    wanted.forEach((each, i) => {
      if (place.children[i] !== each) place.insertBefore(each, place.children[i] || null);
    });
  }

  // --- The bar ---------------------------------------------------------------------------------

  function work_select() {
    const select = el('select', {id: 'work'}, ...points.works.map((work, i) =>
      el('option', {value: i}, work)));
    select.addEventListener('change', () => weft.set_work(Number(select.value)));
    weft.on('work', (index) => { select.value = index; });
    return el('label', null, 'Workload ', select);
  }

  function count_words() {
    const {rows, failures, shown, shown_failures} = points;
    const part = shown.length === rows.length ? weft.plural(rows.length, 'point')
      : `${weft.count(shown.length)} of ${weft.plural(rows.length, 'point')}`;
    if (failures.length === 0) return part;
    return `${part}, ${shown_failures.length === failures.length ? ''
      : `${weft.count(shown_failures.length)} of `}${weft.count(failures.length)} failed`;
  }

  weft.draw_points_bar = function () {
    const count = el('strong', {id: 'points-count'});
    const spoken = el('span', {'class': 'unseen', 'aria-live': 'polite'});
    const chips = el('span', {class: 'chips'});
    let drawn_chips = new Map();  // by text
    const clear = weft.button('Remove brushes', {id: 'brush-clear'}, weft.drop_brushes);
    const bar = el('div', {'class': 'controls transport points-bar', 'role': 'group',
      'aria-label': 'Shown points'}, points.works.length > 1 ? work_select() : el('span', null, points.works[0]), count, spoken,
    chips, clear);
    document.getElementById('main').append(bar);
    let speech = null;
    weft.on('points', () => weft.draw_soon('bar', () => {
      count.textContent = count_words();
      drawn_chips = new Map([...points.brushes].map(([name, brush]) => {
        const text = chip_text(name, brush);
        return [text, drawn_chips.get(text) || chip(name, text)];
      }));
      show_chips(chips, [...drawn_chips.values()]);
      clear.disabled = points.brushes.size === 0;
      clearTimeout(speech);
      speech = setTimeout(() => { spoken.textContent = count.textContent; }, kSpokenAfter);
    }));
  };

  /** All parts of the page of a sweep. */
  weft.draw_points = function () {
    weft.draw_points_bar();
    if (points.good_rows.length > 0) {
      weft.draw_front();
      weft.draw_parallel();
      weft.draw_heat_map();
      weft.draw_points_table();
    }
    weft.draw_failures();
    weft.draw_chosen();
    weft.set_work(0);
  };
})(globalThis.weft);
