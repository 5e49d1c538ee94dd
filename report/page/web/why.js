// From one run to another, one setting at a time. Each bar of the table begins where the bar above
// ends, from A's cycles to B's.
'use strict';

(function (weft) {
  const {data, el} = weft;

  const {signed} = weft;

  const kind_of = (change) => (change > 0 ? 'slower' : change < 0 ? 'faster' : 'same');

  /** The classes of the ledger that a step changes, largest change first. */
  function classes_of(ledger_change) {
    return Object.entries(ledger_change).filter(([, change]) => change !== 0)
      .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
      .map(([name, change]) => `${weft.class_style(name).label} ${signed(change)}`);
  }

  /** A bar from `from` to `to` cycles on a scale up to `most`. */
  function bar(from, to, most, kind) {
    const piece = el('i', {class: kind});
    piece.style.marginLeft = `${(100 * Math.min(from, to)) / most}%`;
    piece.style.width = `${Math.max(0.4, (100 * Math.abs(to - from)) / most)}%`;
    return el('span', {class: 'change', 'aria-hidden': 'true'}, piece);
  }

  function end_row(name, run, most) {
    return el('tr', {class: 'end'}, el('th', {scope: 'row'}, name), el('td', {colspan: 2},
      run.file), el('td', {class: 'number'}, weft.count(run.cycles.total)), el('td'),
    el('td', {class: 'picture'}, bar(0, run.cycles.total, most, 'whole')), el('td'));
  }

  const lines = (switches, text) => switches.map((one) => el('div', null, text(one)));

  function step_row(step, before, most) {
    return el('tr', null, el('th', {scope: 'row'}, ...lines(step.switches, (one) => one.name)),
      el('td', null, ...lines(step.switches, (one) => one.from)),
      el('td', null, ...lines(step.switches, (one) => one.to)),
      el('td', {class: 'number'}, weft.count(step.cycles)),
      el('td', {class: `number ${kind_of(step.change)}`}, signed(step.change)),
      el('td', {class: 'picture'}, bar(before, step.cycles, most, kind_of(step.change))),
      el('td', {class: 'meaning'}, classes_of(step.ledger_change).join(', ') || '\u2013'));
  }

  weft.draw_why = function () {
    const {why} = data;
    if (!why) return;
    const section = weft.section('why', 'Which assumption costs what',
      'A becomes B one assumption at a time, each in addition to those above it, and simulated. ' +
      'The changes sum to the difference; another order can divide it differently.');
    const all = [why.a.cycles.total, ...why.steps.map((step) => step.cycles)];
    const most = Math.max(1, ...all);
    const titles = ['switched', 'from A\u2019s', 'to B\u2019s', 'cycles', 'change', '',
      'in which cycles'];
    const rows = why.steps.map((step, i) => step_row(step, all[i], most));
    const table = el('table', {class: 'why', id: 'why-table'},
      el('thead', null, el('tr', null, ...titles.map((text, i) =>
        el('th', {scope: 'col', class: i === 3 || i === 4 ? 'number' : null}, text)))),
      el('tbody', null, end_row('A', why.a, most), ...rows, end_row('B', why.b, most)),
      el('tfoot', null, el('tr', null, el('th', {scope: 'row'}, 'sum'), el('td', {colspan: 3}),
        el('td', {class: 'number', id: 'why-sum'}, signed(why.difference)), el('td'), el('td'))));
    section.append(el('div', {class: 'scroll'}, table));
    weft.let_save(section, () => [table]);
    if (why.steps.length === 0) {
      section.append(el('p', null, 'The runs differ in nothing that affects cycles.'));
    }
  };
})(globalThis.weft);
