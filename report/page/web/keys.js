// The keyboard for the whole page, except while the user types into a field or opens a list.
'use strict';

(function (weft) {
  const {el} = weft;

  const kKeys = [
    {keys: [' '], name: 'Space', what: 'play or pause', action: () => weft.toggle()},
    {keys: ['ArrowRight'], name: '→', what: 'one cycle forward', action: () => weft.step(1)},
    {keys: ['ArrowLeft'], name: '←', what: 'one cycle back', action: () => weft.step(-1)},
    {keys: ['PageDown'], name: 'Page ↓', what: 'sixteen cycles forward', action: () => weft.step(16)},
    {keys: ['PageUp'], name: 'Page ↑', what: 'sixteen cycles back', action: () => weft.step(-16)},
    {keys: ['Home'], name: 'Home', what: 'first cycle', action: () => weft.step(-Infinity)},
    {keys: ['End'], name: 'End', what: 'last cycle', action: () => weft.step(Infinity)},
    {keys: [']'], name: ']', what: 'next fold', action: () => weft.step_fold(1)},
    {keys: ['['], name: '[', what: 'previous fold', action: () => weft.step_fold(-1)},
    {keys: ['>'], name: '>', what: 'faster', action: () => weft.faster(1)},
    {keys: ['<'], name: '<', what: 'slower', action: () => weft.faster(-1)},
    {keys: ['+', '='], name: '+', what: 'zoom the timeline in',
      action: () => weft.zoom_timeline(0.5)},
    {keys: ['-'], name: '−', what: 'zoom it out', action: () => weft.zoom_timeline(2)},
    {keys: ['0'], name: '0', what: 'the whole run', action: () => weft.zoom_timeline(1e15)},
  ];

  const kInAPicture = [
    {name: 'Shift ←  →', what: 'in the focused timeline: move along'},
    {name: ',  .', what: 'in it: previous, next instruction'},
    {name: 'Enter', what: 'in it: go to that instruction'},
    {name: 'Shift + arrows', what: 'in the focused array: pick a PE, or move the window'},
  ];

  const is_field = (node) => node.closest('input, select, textarea, [contenteditable]') !== null;

  /** On a focused button, Space presses the button as usual. */
  const is_press = (event) => event.key === ' ' && event.target.closest('button, a, summary');

  function handle(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (is_field(event.target) || is_press(event)) return;
    const entry = kKeys.find(({keys}) => keys.includes(event.key));
    if (!entry || (event.shiftKey && event.key.startsWith('Arrow'))) return;
    event.preventDefault();
    entry.action();
  }

  weft.draw_keys = function () {
    const time = weft.total ? [...kKeys, ...kInAPicture] : [];
    if (time.length === 0) return;
    document.addEventListener('keydown', handle);
    document.getElementById('foot').append(el('section', {'aria-labelledby': 'keys-title'},
      el('h2', {id: 'keys-title'}, 'Keys'),
      el('dl', {class: 'keys'}, ...time.map(({name, what}) =>
        el('div', null, el('dt', null, el('kbd', null, name)), el('dd', null, what))))));
  };
})(globalThis.weft);
