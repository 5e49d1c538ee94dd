// Colors by Okabe and Ito, and patterns that tell the classes of the ledger apart without color.
// The three stalls have stripes.
'use strict';

(function (weft) {
  const kTile = 8;
  const kInk = 'rgba(0,0,0,.55)';  // of the strokes of the classes' patterns

  // Color, pattern and meaning of each class of the ledger. Order: docs/timing.md.
  weft.classes = {
    array_active: {color: '#009e73', pattern: 'plain', label: 'array active',
      meaning: 'a row of activations enters the array'},
    weight_shift: {color: '#56b4e9', pattern: 'plain', label: 'weight shift',
      meaning: 'a tile of weights is pushed, and no row enters'},
    weight_stall: {color: '#d55e00', pattern: 'rising', label: 'weight stall',
      meaning: 'the next tile is not in the FIFO yet'},
    input_stall: {color: '#e69f00', pattern: 'falling', label: 'input stall',
      meaning: 'the next matmul waits for a load'},
    raw_stall: {color: '#cc79a7', pattern: 'cross', label: 'read-after-write stall',
      meaning: 'the next matmul waits for the vector unit'},
    fill_drain: {color: '#f0e442', pattern: 'dots', label: 'fill and drain',
      meaning: 'only rows that are still on their way through the array'},
    vector: {color: '#0072b2', pattern: 'plain', label: 'vector',
      meaning: 'no matmul is left; the vector unit works'},
    output: {color: '#8c5a9e', pattern: 'level', label: 'output',
      meaning: 'only a store is under way'},
    idle: {color: '#9a9a9a', pattern: 'upright', label: 'idle',
      meaning: 'dispatch, or a pause between the units'},
  };

  // Name and meaning of each part of the critical path. Order: docs/timing.md.
  weft.path_names = {
    array: ['array', 'rows enter the array'],
    weight_shift: ['weight shift', 'a tile of weights is pushed'],
    drain: ['drain', 'the last row is on its way through the array'],
    vector: ['vector unit', 'rows enter the vector unit'],
    vector_latency: ['vector latency', 'the last row is on its way through the vector unit'],
    memory: ['memory', 'bytes on the memory\'s channel'],
    memory_latency: ['memory latency', 'from the last byte\'s departure to its arrival'],
    host: ['host link', 'bytes on the host link'],
    host_latency: ['host latency', 'from the last byte\'s departure to its arrival'],
    buffer_read: ['buffer read', 'a fetch reads rows of the unified buffer'],
    patch_write: ['patch write', 'a load writes patches, one row a cycle'],
    dispatch: ['dispatch', 'from a dispatch to the next one, or to the start'],
    queue_full: ['queue full', 'from the start that frees a slot to the next dispatch'],
  };

  /** The parts of a critical path that have cycles, the largest first. */
  weft.path_parts = (path) => Object.entries(weft.path_names)
    .map(([name, [label, meaning]]) => ({label, meaning, cycles: (path || {})[name] || 0}))
    .filter(({cycles}) => cycles > 0).sort((a, b) => b.cycles - a.cycles);

  const kUnknown = {color: '#777777', pattern: 'plain', label: '', meaning: ''};

  weft.class_style = (name) =>
    Object.hasOwn(weft.classes, name) ? weft.classes[name] : {...kUnknown, label: name};

  // The strokes of each pattern on a tile of kTile x kTile.
  const kStrokes = {
    rising: [[0, 8, 8, 0], [-2, 2, 2, -2], [6, 10, 10, 6]],
    falling: [[0, 0, 8, 8], [-2, 6, 2, 10], [6, -2, 10, 2]],
    cross: [[0, 0, 8, 8], [0, 8, 8, 0]],
    level: [[0, 2, 8, 2], [0, 6, 8, 6]],
    upright: [[2, 0, 2, 8], [6, 0, 6, 8]],
    dots: [[1, 2, 3, 2], [5, 6, 7, 6]],
    padding: [[0, 8, 8, 0], [-2, 2, 2, -2], [6, 10, 10, 6]],
  };

  /** An SVG <defs> with the patterns of the classes and of padding. Their ids begin with `prefix`. */
  weft.pattern_defs = function (prefix) {
    const defs = weft.svg('defs');
    for (const name of Object.keys(weft.classes)) {
      defs.append(weft.named_pattern(`${prefix}-${name}`, name));
    }
    const {ground, hatch} = weft.colors();
    defs.append(weft.svg_pattern(`${prefix}-padding`, 'padding', ground, hatch));
    return defs;
  };

  /** The pattern of a class, or of padding on PEs. */
  weft.named_pattern = function (id, name) {
    const {busy, hatch} = weft.colors();
    if (name === 'padding') return weft.svg_pattern(id, 'padding', busy, hatch);
    const style = weft.class_style(name);
    return weft.svg_pattern(id, style.pattern, style.color, kInk);
  };

  weft.svg_pattern = function (id, kind, color, ink) {
    const pattern = weft.svg('pattern',
      {id, width: kTile, height: kTile, patternUnits: 'userSpaceOnUse'},
      weft.svg('rect', {width: kTile, height: kTile, fill: color}));
    for (const [x1, y1, x2, y2] of kStrokes[kind] || []) {
      pattern.append(weft.svg('line', {x1, y1, x2, y2, stroke: ink, 'stroke-width': 1.2}));
    }
    return pattern;
  };

  const canvas_patterns = new Map();

  /** The same pattern as a canvas fill. */
  weft.canvas_pattern = function (context, kind, color, ink = kInk) {
    if (context.pattern) return context.pattern(kind, color, ink);
    const key = `${kind} ${color} ${ink}`;
    if (!canvas_patterns.has(key)) canvas_patterns.set(key, pattern_tile(kind, color, ink));
    return context.createPattern(canvas_patterns.get(key), 'repeat');
  };

  function pattern_tile(kind, color, ink) {
    const tile = weft.el('canvas', {width: kTile, height: kTile});
    const context = tile.getContext('2d');
    context.fillStyle = color;
    context.fillRect(0, 0, kTile, kTile);
    context.strokeStyle = ink;
    context.lineWidth = 1.2;
    context.beginPath();
    for (const [x1, y1, x2, y2] of kStrokes[kind] || []) {
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
    }
    context.stroke();
    return tile;
  }

  weft.class_fill = function (context, name) {
    const style = weft.class_style(name);
    if (style.pattern === 'plain') return style.color;
    return weft.canvas_pattern(context, style.pattern, style.color);
  };

  const kAngles = {rising: -45, falling: 45, cross: 20, level: 0, upright: 90, dots: 70};

  /** Gives an HTML element the color of a class, and stripes if the class has a pattern. */
  weft.paint_element = function (node, name) {
    const style = weft.class_style(name);
    node.style.backgroundColor = style.color;
    node.dataset.paint = name;
    if (style.pattern === 'plain') return;
    node.style.backgroundImage = `repeating-linear-gradient(${kAngles[style.pattern]}deg, ` +
      'rgba(0, 0, 0, .5) 0 1px, transparent 1px 4px)';
  };

  /** A small rectangle with a class's color and pattern, for legends and tables. */
  weft.swatch = function (name) {
    const id = `swatch-${name}-${++swatches}`;
    return weft.svg('svg', {class: 'swatch', width: 16, height: 12, 'aria-hidden': 'true'},
      weft.svg('defs', null, weft.named_pattern(id, name)),
      weft.svg('rect', {width: 16, height: 12, rx: 2, fill: `url(#${id})`}));
  };

  let swatches = 0;

  /** A small box for a legend, with the look that the style sheet gives to `.<kind>-key`. */
  weft.key = (kind) => weft.el('i', {'class': `key ${kind}-key`,
    'data-paint': kind === 'padding' ? kind : null});

  // --- Theme -----------------------------------------------------------------------------------

  const kNames = ['ground', 'panel', 'ink', 'soft', 'faint', 'line', 'accent', 'hatch', 'act',
    'weight', 'sum', 'swap', 'push', 'busy', 'idle'];
  let current = null;

  /** The current theme's colors, with the names of the style sheet. */
  weft.colors = function () {
    if (current) return current;
    const style = getComputedStyle(document.documentElement);
    current = {};
    for (const name of kNames) current[name] = style.getPropertyValue(`--${name}`).trim();
    return current;
  };

  function refresh() {
    current = null;
    weft.tell('theme', weft.theme());
  }

  const prefers_dark = matchMedia('(prefers-color-scheme: dark)');

  /** 'light' or 'dark': the user's choice, else the system's preference. */
  weft.theme = () =>
    document.documentElement.dataset.theme || (prefers_dark.matches ? 'dark' : 'light');

  weft.set_theme = function (name) {
    document.documentElement.dataset.theme = name;
    refresh();
  };

  prefers_dark.addEventListener('change', refresh);

  // Print uses the light theme; canvases must be redrawn, because they ignore the style sheet.
  let before_print;
  addEventListener('beforeprint', () => {
    before_print = document.documentElement.dataset.theme;
    weft.set_theme('light');
  });
  addEventListener('afterprint', () => {
    if (before_print) weft.set_theme(before_print);
    else {
      delete document.documentElement.dataset.theme;
      refresh();
    }
  });
})(globalThis.weft);
