// The other ways to run a layer (`weft explain conv`, `weft explain NETWORK --layer`): each candidate
// makes one decision otherwise. The first row is what the compiler chose.
'use strict';

(function (weft) {
  const {data, el} = weft;

  const kTitles = ['decision, and what it changes', 'cycles', 'change', 'layer', 'by class',
    'folds', 'tiles', 'padding', 'moved'];
  const kPicture = 4;

  const listed = (parts) => (parts.length === 1 ? parts[0]
    : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`);

  /** The sentence about a candidate, as in the text. */
  function words({decisions, reason}) {
    if (decisions.length === 0) return 'as chosen';
    const [first, ...others] = decisions;
    const same = others.length > 0 ? `; the same program as ${listed(others)}` : '';
    return `${first}: ${reason}${same}`;
  }

  const moved = ({weight_bytes, input_bytes, output_bytes}) =>
    weft.short(weight_bytes + input_bytes + output_bytes, 'B');

  function row(run, longest) {
    const {plan, macs, cycles, traffic} = run.layer;
    const number = (text) => el('td', {class: 'number'}, text);
    return el('tr', {class: run.decisions.length === 0 ? 'end' : null},
      el('th', {scope: 'row'}, words(run)), number(weft.count(run.cycles)),
      number(run.decisions.length === 0 ? '' : weft.signed(run.change)),
      number(weft.count(cycles.total)),
      el('td', {class: 'ledger'}, weft.ledger_bar(cycles.total, cycles, longest)),
      number(plan ? weft.count(plan.fetches) : '\u2013'),
      number(plan ? `${plan.k_tiles} × ${plan.n_tiles} × ${plan.chunks}` : '\u2013'),
      number(plan ? weft.percent(1 - macs.useful / macs.issued) : '\u2013'),
      number(moved(traffic)));
  }

  const list = (sentences) => el('ul', null, ...sentences.map((sentence) => el('li', null, sentence)));

  weft.draw_candidates = function () {
    const {candidates, layers, asked} = data;
    if (!candidates) return;
    const of = asked === undefined ? 'Other ways to run it'
      : `Other ways to run ${layers[asked].name}`;
    const section = weft.section('candidates', of, `Chosen: ${candidates.chosen}. Each other ` +
      'candidate makes one decision otherwise; all are simulated on engine analytic. Cycles are ' +
      'of the whole network, all columns after them of this layer. Tiles are along K × along N × ' +
      'chunks of rows.');
    const longest = Math.max(1, ...candidates.runs.map((run) => run.layer.cycles.total));
    const table = el('table', {class: 'why candidates', id: 'candidates-table'},
      el('thead', null, el('tr', null, ...kTitles.map((text, i) =>
        el('th', {scope: 'col', class: i > 0 && i !== kPicture ? 'number' : null}, text)))),
      el('tbody', null, ...candidates.runs.map((run) => row(run, longest))));
    section.append(el('div', {class: 'scroll'}, table));
    weft.let_save(section, () => [table]);
    if (candidates.sentences.length > 0) section.append(list(candidates.sentences));
    section.append(el('h3', null, 'What the mapper cannot change'),
      list(candidates.doubled_sentences));
  };
})(globalThis.weft);
