// What the run would win if one key of the machine were better (--sensitivity): the keys that save
// most time first. A bar goes left from the middle for less time, right for more.
'use strict';

(function (weft) {
  const {data, el} = weft;

  const kTitles = ['key', 'from', 'to', 'cycles', 'change', 'time', '', ''];
  const kNumbers = [3, 4, 5];

  /** "+1.25 %", and "0.00 %" without a sign for what rounds to it. */
  function time_words(change) {
    const text = Math.abs(100 * change).toFixed(2);
    const sign = Number(text) === 0 ? '' : change > 0 ? '+' : '\u2212';
    return `${sign}${text}\u202f%`;
  }

  const kind_of = (change) => (change > 0 ? 'slower' : 'faster');

  function bar(change, most) {
    const piece = el('i', {class: kind_of(change)});
    const share = 50 * Math.abs(change) / most;
    piece.style.marginLeft = `${change > 0 ? 50 : 50 - share}%`;
    piece.style.width = `${share}%`;
    return el('span', {class: 'change both', 'aria-hidden': 'true'}, piece);
  }

  function row(better, most) {
    const remarks = [better.assumed && 'assumed', better.recompiled && 'compiled again'];
    const number = (text, kind) => el('td', {class: `number ${kind}`}, text);
    return el('tr', null, el('th', {scope: 'row'}, better.key), el('td', null, better.from),
      el('td', null, better.to), number(weft.count(better.cycles), ''),
      number(weft.signed(-better.won), ''), number(time_words(better.time_change), 'time'),
      el('td', {class: 'picture'}, bar(better.time_change, most)),
      el('td', {class: 'meaning'}, remarks.filter(Boolean).join(', ')));
  }

  const name_of = (better) => better.key + (better.assumed ? ' (assumed)' : '');

  function sentences({keys, left_out}, same) {
    const out = ['Each key alone, simulated.'];
    if (keys.some((better) => better.assumed)) {
      out.push('Assumed: the preset has no source for the value it has now.');
    }
    if (data.report.machine.memory_kind === 'shared') {
      out.push('All transfers share one memory channel: more bandwidth or room can change their ' +
        'order and so cost a few cycles.');
    }
    if (same.length > 0) out.push(`No change: ${same.map(name_of).join(', ')}.`);
    if (left_out.length > 0) out.push(`Without a better value: ${left_out.join(', ')}.`);
    return out.join(' ');
  }

  weft.draw_sensitivity = function () {
    const {sensitivity} = data.report || {};
    if (!sensitivity) return;
    const is_same = (better) => better.won === 0 && better.time_change === 0;
    const changed = sensitivity.keys.filter((better) => !is_same(better));
    const section = weft.section('sensitivity', 'If one key were better',
      'Each key of the machine 10\u202f% faster or larger, or one unit: cycles, and time against ' +
      'this run. The bar goes left for less time, right for more.');
    const most = Math.max(...changed.map((better) => Math.abs(better.time_change)), 1e-9);
    const table = el('table', {class: 'why sensitivity', id: 'sensitivity-table'},
      el('thead', null, el('tr', null, ...kTitles.map((text, i) =>
        el('th', {scope: 'col', class: kNumbers.includes(i) ? 'number' : null}, text)))),
      el('tbody', null, ...changed.map((better) => row(better, most))));
    if (changed.length > 0) {
      section.append(el('div', {class: 'scroll'}, table));
      weft.let_save(section, () => [table]);
    }
    section.append(el('p', {class: 'readout'},
      sentences(sensitivity, sensitivity.keys.filter(is_same))));
  };
})(globalThis.weft);
