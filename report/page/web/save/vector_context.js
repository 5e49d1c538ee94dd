// A drawing context like a canvas's that makes SVG elements, so that a drawing on a canvas can be
// saved as vectors. It has the part of the 2d context that the page's drawings use; any other
// method or property throws.
'use strict';

(function (weft) {
  const kAnchors = {left: 'start', center: 'middle', right: 'end'};
  const kState = ['fillStyle', 'strokeStyle', 'lineWidth', 'globalAlpha', 'font', 'textAlign',
    'textBaseline', 'imageSmoothingEnabled'];

  let contexts = 0;

  /** A coordinate with at most two decimals. */
  const short = (value) => String(Math.round(100 * value) / 100);

  class VectorContext {
    fillStyle = '#000000';
    strokeStyle = '#000000';
    lineWidth = 1;
    globalAlpha = 1;
    font = '10px sans-serif';
    textAlign = 'left';
    textBaseline = 'alphabetic';
    imageSmoothingEnabled = true;
    node = weft.svg('g');  // everything that was drawn

    #group = this.node;  // where the next element goes: the node, or a clipped group in it
    #path = '';
    #dash = '';
    #saved = [];
    #patterns = new Map();
    #prefix = `v${++contexts}`;
    #clips = 0;

    constructor() { Object.seal(this); }

    save() {
      const state = {group: this.#group, dash: this.#dash};
      for (const name of kState) state[name] = this[name];
      this.#saved.push(state);
    }

    restore() {
      const {group, dash, ...state} = this.#saved.pop();
      this.#group = group;
      this.#dash = dash;
      Object.assign(this, state);
    }

    // --- Paths ---------------------------------------------------------------------------------

    beginPath() { this.#path = ''; }
    moveTo(x, y) { this.#path += `M${short(x)},${short(y)}`; }
    lineTo(x, y) { this.#path += `L${short(x)},${short(y)}`; }
    rect(x, y, w, h) {
      this.#path += `M${short(x)},${short(y)}h${short(w)}v${short(h)}h${short(-w)}z`;
    }

    setLineDash(lengths) { this.#dash = lengths.join(' '); }

    fill() { this.#add('path', {d: this.#path, ...this.#filled()}); }
    stroke() { this.#add('path', {d: this.#path, ...this.#stroked()}); }

    clip() {
      const id = `${this.#prefix}-clip-${++this.#clips}`;
      this.#group.append(weft.svg('clipPath', {id}, weft.svg('path', {d: this.#path})));
      const inner = weft.svg('g', {'clip-path': `url(#${id})`});
      this.#group.append(inner);
      this.#group = inner;
    }

    // --- Shapes --------------------------------------------------------------------------------

    fillRect(x, y, w, h) { this.#add('rect', {...box(x, y, w, h), ...this.#filled()}); }
    strokeRect(x, y, w, h) { this.#add('rect', {...box(x, y, w, h), ...this.#stroked()}); }

    fillText(text, x, y) {
      const [, bold, size, family] = /^(bold )?([\d.]+)px (.+)$/.exec(this.font);
      const down = this.textBaseline === 'middle' ? above_baseline(this.font) : 0;
      const node = this.#add('text', {x: short(x), y: short(y + down), 'font-family': family,
        'font-size': short(size), 'font-weight': bold ? 'bold' : null,
        'text-anchor': kAnchors[this.textAlign], ...this.#filled()});
      node.textContent = text;
    }

    /** Embeds the picture on another canvas. */
    drawImage(canvas, x, y, w, h) {
      this.#add('image', {...box(x, y, w, h), href: canvas.toDataURL(), preserveAspectRatio: 'none',
        style: this.imageSmoothingEnabled ? null : 'image-rendering: pixelated'});
    }

    /** A fill with the strokes of a pattern of palette.js. */
    pattern(kind, color, ink) {
      const key = `${kind} ${color} ${ink}`;
      if (!this.#patterns.has(key)) {
        const id = `${this.#prefix}-${this.#patterns.size}`;
        this.#patterns.set(key, `url(#${id})`);
        this.node.prepend(weft.svg('defs', null, weft.svg_pattern(id, kind, color, ink)));
      }
      return this.#patterns.get(key);
    }

    // --- Parts of an element -------------------------------------------------------------------

    #add(tag, attributes) {
      const node = weft.svg(tag, attributes);
      this.#group.append(node);
      return node;
    }

    #alpha(name) { return this.globalAlpha < 1 ? {[name]: short(this.globalAlpha)} : {}; }

    #filled() { return {fill: this.fillStyle, ...this.#alpha('fill-opacity')}; }

    #stroked() {
      return {fill: 'none', stroke: this.strokeStyle, 'stroke-width': short(this.lineWidth),
        'stroke-dasharray': this.#dash || null, ...this.#alpha('stroke-opacity')};
    }
  }

  const ruler = weft.el('canvas').getContext('2d');
  const heights = new Map();

  /** Pixels from the middle of a line of text down to its baseline. */
  function above_baseline(font) {
    if (!heights.has(font)) {
      const [middle, bottom] = ['middle', 'alphabetic'].map((baseline) => {
        ruler.font = font;
        ruler.textBaseline = baseline;
        return ruler.measureText('0').fontBoundingBoxAscent;
      });
      heights.set(font, bottom - middle);
    }
    return heights.get(font);
  }

  /** A negative width or height extends to the other side, as on a canvas. */
  function box(x, y, w, h) {
    return {x: short(Math.min(x, x + w)), y: short(Math.min(y, y + h)), width: short(Math.abs(w)),
      height: short(Math.abs(h))};
  }

  weft.VectorContext = VectorContext;
})(globalThis.weft);
