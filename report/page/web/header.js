// The top of the page: what ran on which machine, the main figures, and notes.
'use strict';

(function (weft) {
  const {data, el} = weft;
  const report = data.report || {};  // absent on a page that is not about one run

  // --- Main figures ----------------------------------------------------------------------------

  function figure(value, name, remark) {
    return el('div', {class: 'figure'}, el('dt', null, name), el('dd', null, value),
      remark ? el('dd', {class: 'remark'}, remark) : null);
  }

  function machine_line() {
    const m = report.machine;
    if (!m) return '';
    const memory = m.memory_kind === 'ideal' ? 'ideal memory'
      : `${m.memory_kind} memory, ${m.memory_gb_per_s} GB/s`;
    const engine = data.candidates && report.engine !== 'analytic'
      ? `engine ${report.engine}, the candidates engine analytic` : `engine ${report.engine}`;
    return `${m.title}: ${m.rows} × ${m.cols} PEs, ${m.dtype}, ${m.clock_mhz} MHz, ${memory}, ` +
      `double buffer ${m.double_buffer ? 'on' : 'off'} · ${engine}`;
  }

  function check_words(check) {
    if (!check || check.reference === 'none') return ['not checked', 'no reference was computed'];
    const against = `against ${check.reference}`;
    if (check.bit_exact === true) return ['bit for bit', `every value equal, ${against}`];
    if (check.agrees === false) {
      return ['differs', `by up to ${check.max_abs_error.toPrecision(3)}, ${against}`];
    }
    if (check.max_abs_error === null) return ['not checked', against];
    return ['within bounds', `largest error ${check.max_abs_error.toPrecision(3)}, ${against}`];
  }

  function padding_share() {
    const {macs} = report;
    return macs && macs.issued > 0 ? 1 - macs.useful / macs.issued : null;
  }

  function wasted_words({useful, issued}) {
    const wasted = weft.short(issued - useful);
    const all = weft.short(issued);
    return useful > 0 && wasted === all ? `all but ${weft.short(useful)} of ${all} MACs`
      : `${wasted} of ${all} MACs`;
  }

  function figures() {
    const list = el('dl', {class: 'figures'});
    for (const {value, name, remark} of data.figures || []) {
      list.append(figure(value, name, remark));
    }
    const {cycles, macs} = report;
    if (!cycles || data.training) return list;
    const at = `at ${report.machine.clock_mhz} MHz`;
    list.append(figure(weft.count(cycles.total), 'cycles',
      `${weft.duration(report.seconds)} ${at}`));
    if (report.utilization !== null && report.utilization !== undefined) {
      list.append(figure(weft.percent(report.utilization), 'of the array used',
        report.tops ? `${weft.short(report.tops * 1e12, 'OP/s')}` : null));
    }
    if (report.bound) {
      list.append(figure(report.bound.ratio.toFixed(2), 'times the bound',
        `${weft.count(report.bound.cycles)} cycles; bound by ${report.bound.by}`));
    }
    if (padding_share() !== null) {
      list.append(figure(weft.percent(padding_share()), 'padding waste', wasted_words(macs)));
    }
    list.append(figure(...swap_first(check_words(report.check))));
    return list;
  }

  function swap_first([value, remark]) {
    return [value, 'check of the values', remark];
  }

  /** Text between backticks becomes code. */
  function with_code(sentence) {
    return sentence.split('`').map((part, i) => (i % 2 ? el('code', null, part) : part));
  }

  function notes() {
    const all = new Set([...(data.notes || []), ...(report.notes || [])]);
    if (all.size === 0) return null;
    return el('aside', {class: 'notes', 'aria-label': 'Notes'},
      el('ul', null, ...[...all].map((note) => el('li', null, ...with_code(note)))));
  }

  // --- Theme and contents ----------------------------------------------------------------------

  function theme_button() {
    const label = () => (weft.theme() === 'dark' ? 'Light theme' : 'Dark theme');
    const button = weft.button(label(), {class: 'theme', id: 'theme'}, () => {
      weft.set_theme(weft.theme() === 'dark' ? 'light' : 'dark');
    });
    weft.on('theme', () => { button.textContent = label(); });
    return button;
  }

  weft.draw_contents = function () {
    const links = [...document.querySelectorAll('main > section')].map((section) =>
      el('a', {href: `#${section.id}`}, section.querySelector('h2').textContent));
    const contents = document.getElementById('contents');
    if (links.length > 1) contents.append(...links);
    else contents.remove();
    const leave_out_hidden = () => {
      for (const link of links) link.hidden = document.querySelector(link.hash).hidden;
    };
    leave_out_hidden();
    weft.on('work', leave_out_hidden);
  };

  const list_or_nothing = (list) => (list.children.length > 0 ? list : '');

  weft.draw_header = function () {
    document.getElementById('top').append(
      el('div', {class: 'masthead'}, el('h1', null, data.title), theme_button()),
      ...(data.lines || [machine_line()]).map((line) => el('p', {class: 'machine'}, line)),
      data.command ? el('p', {class: 'command'}, el('code', null, data.command)) : '',
      list_or_nothing(figures()), notes() || '',
      el('nav', {id: 'contents', 'aria-label': 'Contents'}));
  };
})(globalThis.weft);
