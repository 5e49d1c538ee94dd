// The ledger: every cycle in one class, as a stacked bar and a table that sums to the total, beside
// the terms of the formula.
'use strict';

(function (weft) {
  const {data, el, svg} = weft;
  const kHeight = 46;
  const kLabelFrom = 54;

  /** The classes of a ledger {class: cycles}, in order of precedence. */
  weft.ledger_parts = function (cycles) {
    const names = data.timeline ? data.timeline.classes : Object.keys(weft.classes);
    return names.filter((name) => Number.isFinite(cycles[name]))
      .map((name) => ({name, cycles: cycles[name]}));
  };

  function mini_piece(part, total) {
    const piece = el('i');
    piece.style.width = `${(100 * part.cycles) / total}%`;
    weft.paint_element(piece, part.name);
    return piece;
  }

  /** A bar in a table, divided by class. Its length is relative to `longest`. */
  weft.ledger_bar = function (total, cycles, longest) {
    const parts = weft.ledger_parts(cycles).filter((part) => part.cycles > 0);
    const words = parts.map((part) =>
      `${weft.class_style(part.name).label} ${weft.count(part.cycles)}`);
    const drawing = el('span', {class: 'mini', role: 'img', 'aria-label': words.join(', ')},
      ...parts.map((part) => mini_piece(part, total)));
    drawing.style.width = `${Math.max(1, (100 * total) / longest)}%`;
    drawing.addEventListener('pointermove', (event) =>
      weft.show_tip(words, event.clientX, event.clientY));
    drawing.addEventListener('pointerleave', weft.hide_tip);
    return drawing;
  };

  function bar(parts, total, width) {
    const drawing = svg('svg', {...weft.chart_size(width, kHeight), role: 'img', 'aria-label':
      parts.map((part) => `${weft.class_style(part.name).label} ${part.cycles}`).join(', ')});
    drawing.append(weft.pattern_defs('ledger'));
    let x = 0;
    for (const part of parts) {
      const length = (part.cycles / total) * width;
      if (length > 0) drawing.append(...piece(part, total, x, length));
      x += length;
    }
    return drawing;
  }

  function piece(part, total, x, length) {
    const share = part.cycles / total;
    const label = weft.percent(share, share > 0.99 && share < 1 ? 1 : 0);
    const box = svg('rect', {x, width: Math.max(0.5, length - 1), height: kHeight,
      fill: `url(#ledger-${part.name})`, class: 'ledger-piece', 'data-class': part.name,
      'data-cycles': part.cycles},
    svg('title', null, `${weft.class_style(part.name).label}: ${weft.count(part.cycles)}`));
    if (length < kLabelFrom) return [box];
    return [box, svg('text', {x: x + 7, y: kHeight / 2 + 5, class: 'on-bar'}, label)];
  }

  function ledger_table(parts, total) {
    const row = (part) => el('tr', {class: part.cycles === 0 ? 'zero' : null},
      el('th', {scope: 'row'}, weft.swatch(part.name), ` ${weft.class_style(part.name).label}`),
      el('td', null, weft.count(part.cycles)), el('td', null, weft.percent(part.cycles / total)),
      el('td', {class: 'meaning'}, weft.class_style(part.name).meaning));
    const sum = parts.reduce((all, part) => all + part.cycles, 0);
    return el('table', {class: 'numbers', id: 'ledger-table'},
      el('thead', null, el('tr', null, ...['class', 'cycles', 'share', 'what happens']
        .map((text) => el('th', {scope: 'col'}, text)))),
      el('tbody', null, ...parts.map(row)),
      el('tfoot', null, el('tr', null, el('th', {scope: 'row'}, 'total'),
        el('td', {id: 'ledger-sum'}, weft.count(sum)), el('td', null, weft.percent(sum / total)),
        el('td'))));
  }

  // --- Critical path ---------------------------------------------------------------------------

  function path_table(path) {
    const row = (part) => el('tr', null, el('th', {scope: 'row'}, part.label),
      el('td', null, weft.count(part.cycles)), el('td', null, weft.percent(part.cycles / path.total)),
      el('td', {class: 'meaning'}, part.meaning));
    const parts = weft.path_parts(path);
    const sum = parts.reduce((all, part) => all + part.cycles, 0);
    return el('table', {class: 'numbers', id: 'path-table'},
      el('thead', null, el('tr', null, ...['spent on', 'cycles', 'share', 'what happens']
        .map((text) => el('th', {scope: 'col'}, text)))),
      el('tbody', null, ...parts.map(row)),
      el('tfoot', null, el('tr', null, el('th', {scope: 'row'}, 'total'),
        el('td', {id: 'path-sum'}, weft.count(sum)), el('td', null, weft.percent(sum / path.total)),
        el('td'))));
  }

  // --- Formula ---------------------------------------------------------------------------------

  function formula_table(formula) {
    const row = (term) => el('tr', null, el('th', {scope: 'row'}, term.name),
      el('td', null, weft.count(term.cycles)), el('td', {class: 'meaning'}, term.meaning));
    const difference = formula.span - formula.cycles;
    const comparison = difference === 0 ? 'as many as were simulated'
      : `${weft.count(Math.abs(difference))} ${difference > 0 ? 'fewer' : 'more'} than the ` +
        `simulated span, which has ${formula.excess}`;
    return el('table', {class: 'numbers', id: 'formula-table'},
      el('thead', null, el('tr', null, ...['term', 'cycles', 'meaning']
        .map((text) => el('th', {scope: 'col'}, text)))),
      el('tbody', null, ...formula.terms.map(row)),
      el('tfoot', null, el('tr', null, el('th', {scope: 'row'}, 'formula'),
        el('td', null, weft.count(formula.cycles)), el('td', {class: 'meaning'}, comparison)),
      el('tr', null, el('th', {scope: 'row'}, 'simulated span'),
        el('td', null, weft.count(formula.span)),
        el('td', {class: 'meaning'}, 'from the first push to the last product'))));
  }

  weft.draw_ledger = function () {
    const {cycles} = data.report || {};
    const parts = cycles ? weft.ledger_parts(cycles) : [];
    if (parts.length === 0) return;
    const section = weft.section('ledger', 'Where the cycles went',
      `Every one of the ${weft.count(cycles.total)} cycles is counted once.`);
    const stage = el('div', {class: 'stage'});
    const table = ledger_table(parts, cycles.total);
    const tables = el('div', {class: 'columns'},
      el('div', {class: 'scroll'}, table));
    const path = data.report.critical_path;
    if (path) {
      tables.append(el('div', {class: 'scroll'}, el('h3', null, 'The critical path'),
        path_table(path)));
    }
    if (data.formula) {
      tables.append(el('div', {class: 'scroll'}, el('h3', null, 'The closed form'),
        formula_table(data.formula)));
    }
    section.append(stage, tables);
    weft.let_save(section, () => [stage, table]);
    weft.keep_drawn(stage, (width) =>
      stage.replaceChildren(bar(parts, Math.max(1, cycles.total), width)));
  };
})(globalThis.weft);
