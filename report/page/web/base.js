// What every part of the page needs: the data, elements, numbers as text, and the current cycle.
//
// Names in the data come from untrusted files, so they are only ever inserted as text.
'use strict';

globalThis.weft = globalThis.weft || {};

(function (weft) {
  const kSvg = 'http://www.w3.org/2000/svg';

  weft.data = JSON.parse(document.getElementById('weft-data').textContent);

  // --- Elements --------------------------------------------------------------------------------

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
    }
    for (const child of children) if (child !== null && child !== undefined) node.append(child);
    return node;
  }

  /** Makes an HTML element; strings among the children become text. */
  weft.el = function (tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
  };

  weft.svg = function (tag, attributes, ...children) {
    return fill(document.createElementNS(kSvg, tag), attributes, children);
  };

  /** Attributes of a chart drawn for one size. In print the whole chart shrinks. */
  weft.chart_size = (width, height) => ({width, height, viewBox: `0 0 ${width} ${height}`});

  /** Adds a section with its heading and a sentence that says how to read it. */
  weft.section = function (id, title, lead) {
    const {el} = weft;
    const section = el('section', {id, 'aria-labelledby': `${id}-title`},
      el('h2', {id: `${id}-title`}, title), lead ? el('p', {class: 'lead'}, lead) : null);
    document.getElementById('main').append(section);
    return section;
  };

  weft.button = function (label, attributes, action) {
    const button = weft.el('button', {type: 'button', ...attributes}, label);
    button.addEventListener('click', action);
    return button;
  };

  // --- Numbers as text -------------------------------------------------------------------------

  const kThin = '\u202f';

  /** Writes 1234567 as "1,234,567", as the command does. */
  weft.count = function (value) {
    const text = String(Math.round(value));
    return text.replace(/\B(?=(\d{3})+$)/g, ',').replace('-', '\u2212');
  };

  /** "+12" or "−12"; 0 has no sign. */
  weft.signed = (change) => (change > 0 ? `+${weft.count(change)}` : weft.count(change));

  weft.percent = function (share, digits = 1) {
    if (share === null || share === undefined || !Number.isFinite(share)) return '\u2013';
    // A share below 100 % never reads as 100 %, and a share above 0 never as 0.
    const least = 10 ** -digits;
    if (share > 0 && 100 * share < least / 2) return `<${kThin}${least}${kThin}%`;
    const most = 100 - 10 ** -digits;
    return `${(share < 1 ? Math.min(100 * share, most) : 100 * share).toFixed(digits)}${kThin}%`;
  };

  /** Writes 2.5e6 as "2.50 M": three digits, or as many as `digits` says, and a prefix. */
  weft.short = function (value, unit = '', digits = 3) {
    const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
    let at = 0;
    let scaled = value;
    for (; Math.abs(scaled) >= 999.5 && at + 1 < prefixes.length; ++at) scaled /= 1000;
    const text = Number.isInteger(scaled) && at === 0 ? String(scaled) : scaled.toPrecision(digits);
    const suffix = prefixes[at] + unit;
    return suffix ? `${text}${kThin}${suffix}` : text;
  };

  weft.duration = function (seconds) {
    const units = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']];
    // 999.9 ms has three digits as 1.00 s alone.
    const [size, unit] = units.find(([each]) => seconds >= 0.9995 * each) || units[3];
    return `${(seconds / size).toPrecision(3)}${kThin}${unit}`;
  };

  /** While the pointer is on `stage`, describes the point nearest to it along the scale `x`. */
  weft.tell_nearest = function (stage, x, points, place, words) {
    stage.onpointermove = (event) => {
      const at = x.invert(event.clientX - stage.getBoundingClientRect().left);
      const nearest = d3.scan(points,
        (a, b) => Math.abs(place(a) - at) - Math.abs(place(b) - at));
      weft.show_tip(words(points[nearest]), event.clientX, event.clientY);
    };
    stage.onpointerleave = weft.hide_tip;
  };

  weft.plural = (n, one, many = `${one}s`) => `${weft.count(n)}\u00a0${n === 1 ? one : many}`;

  // --- Messages between the parts --------------------------------------------------------------

  const listeners = new Map();

  /** Calls `action` with the value of every later weft.tell(name, value). */
  weft.on = function (name, action) {
    if (!listeners.has(name)) listeners.set(name, []);
    listeners.get(name).push(action);
  };

  weft.tell = function (name, value) {
    for (const action of listeners.get(name) || []) action(value);
  };

  // --- Redrawing -------------------------------------------------------------------------------

  const redraws = new Map();
  let pending = false;

  function redraw_now() {
    pending = false;
    const due = [...redraws.values()];
    redraws.clear();
    for (const draw of due) draw();
  }

  /** Runs `draw` once before the next frame, however often it is requested. */
  weft.draw_soon = function (key, draw) {
    redraws.set(key, draw);
    if (pending) return;
    pending = true;
    requestAnimationFrame(redraw_now);
  };

  /** Calls `draw(width)` now and whenever the width of `node` or the theme changes. */
  weft.keep_drawn = function (node, draw) {
    let width = 0;
    const again = () => {
      width = Math.floor(node.clientWidth);
      if (width > 0) draw(width);
    };
    new ResizeObserver(() => {
      if (Math.floor(node.clientWidth) !== width) weft.draw_soon(node, again);
    }).observe(node);
    weft.on('theme', again);
    again();
  };

  weft.calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

  // --- Tooltip ---------------------------------------------------------------------------------

  const tip = document.getElementById('tip');

  /** Shows lines of text beside a point, inside the window. Without lines it hides them. */
  weft.show_tip = function (lines, x, y) {
    tip.hidden = !lines || lines.length === 0;
    if (tip.hidden) return;
    tip.replaceChildren(...lines.map((line) => weft.el('div', null, line)));
    const {offsetWidth: width, offsetHeight: height} = tip;
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
    tip.style.top = `${y + 18 + height > innerHeight ? Math.max(4, y - height - 12) : y + 18}px`;
  };

  weft.hide_tip = () => weft.show_tip(null);

  // --- Messages to the reader ------------------------------------------------------------------

  const kSaidFor = 4000;  // ms
  const said = document.getElementById('said');
  let silence = null;

  /** Says in a word what a button has done. */
  weft.say = function (text) {
    clearTimeout(silence);
    said.textContent = text;
    silence = setTimeout(() => { said.textContent = ''; }, kSaidFor);
  };
})(globalThis.weft);
