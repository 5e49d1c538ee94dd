// The account of the run, fold by fold, and advice to make it faster, as `weft explain` prints
// them.
'use strict';

(function (weft) {
  const {data, el} = weft;

  weft.draw_account = function () {
    const {account, advice} = data;
    if (account) {
      const section = weft.section('account', 'Fold by fold',
        'A fold is one tile of weights and the rows that stream through it; while it waits, no ' +
        'row enters.');
      section.append(el('div', {class: 'scroll'}, el('pre', {class: 'account'}, account)));
    }
    if (!advice || advice.length === 0) return;
    weft.section('advice', 'Advice').append(el('ul', null, ...advice.map((sentence) =>
      el('li', null, sentence))));
  };
})(globalThis.weft);
