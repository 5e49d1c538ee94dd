// Turns parts of the page into SVG that needs no style sheet: drawings, canvases, tables and
// legends, as they look in the current theme.
'use strict';

(function (weft) {
  const {svg} = weft;

  // Properties of the style sheet that become attributes, with the values that need none.
  const kProperties = {'fill': 'rgb(0, 0, 0)', 'fill-opacity': '1', 'stroke': 'none',
    'stroke-width': '1px', 'stroke-opacity': '1', 'stroke-dasharray': 'none',
    'stroke-linejoin': 'miter', 'opacity': '1', 'paint-order': 'normal'};
  const kFont = {'font-family': '', 'font-size': '', 'font-weight': '400', 'text-anchor': 'start'};
  const kShapes = 'rect, circle, line, path, text, image';
  const kLeftOut = ['class', 'tabindex', 'role', 'aria-label', 'style'];
  const kSides = ['top', 'right', 'bottom', 'left'];

  // --- Colors ----------------------------------------------------------------------------------

  let dot = null;

  /** Any CSS color as [red, green, blue, alpha], up to 255. Painting it resolves every notation. */
  function channels(color) {
    dot = dot || weft.el('canvas', {width: 1, height: 1})
      .getContext('2d', {willReadFrequently: true});
    dot.clearRect(0, 0, 1, 1);
    dot.fillStyle = color;
    dot.fillRect(0, 0, 1, 1);
    return dot.getImageData(0, 0, 1, 1).data;
  }

  /** Attributes for a fill or stroke that programs without CSS colors understand, too. */
  function paint(name, color) {
    if (color === 'none') return {[name]: color};
    if (color.startsWith('url(')) return {[name]: color.replaceAll('"', '')};
    const [r, g, b, a] = channels(color);
    const opacity = a < 255 ? {[`${name}-opacity`]: (a / 255).toFixed(2)} : {};
    return {[name]: `rgb(${r}, ${g}, ${b})`, ...opacity};
  }

  // --- Drawings --------------------------------------------------------------------------------

  /** Gives `copy` the look of `shape` as attributes. */
  function set_look(copy, shape) {
    const style = getComputedStyle(shape);
    const properties = shape.tagName === 'text' ? {...kProperties, ...kFont} : kProperties;
    for (const [name, plain] of Object.entries(properties)) {
      const value = style.getPropertyValue(name);
      if (value === plain || value === '') continue;
      const set = name === 'fill' || name === 'stroke' ? paint(name, value) : {[name]: value};
      for (const [key, text] of Object.entries(set)) copy.setAttribute(key, text);
    }
  }

  /** A copy of an <svg> at (x, y) that looks the same without the style sheet. */
  function drawing_vectors(drawing, x, y) {
    const copy = drawing.cloneNode(true);
    const [from, to] = [drawing, copy].map((root) => [root, ...root.querySelectorAll('*')]);
    to.forEach((node, i) => {
      const words = node.getAttribute('aria-label');
      for (const name of [...kLeftOut, ...Object.keys(node.dataset).map((key) => `data-${key}`),
        ...Object.keys(kProperties), ...Object.keys(kFont)]) node.removeAttribute(name);
      if (from[i].matches(kShapes)) set_look(node, from[i]);
      if (words && node !== copy && !node.querySelector('title')) {
        node.prepend(svg('title', null, words));
      }
    });
    copy.setAttribute('x', x);
    copy.setAttribute('y', y);
    return copy;
  }

  // --- Canvases --------------------------------------------------------------------------------

  const painters = new WeakMap();

  /** Draws on `canvas` with `draw(context)`, and the same way whenever it is saved. */
  weft.paint_canvas = function (canvas, width, height, draw) {
    painters.set(canvas, draw);
    draw(weft.prepare_canvas(canvas, width, height));
  };

  function canvas_vectors(canvas, x, y) {
    const context = new weft.VectorContext();
    painters.get(canvas)(context);
    return svg('g', {transform: `translate(${x},${y})`}, context.node);
  }

  // --- Text and boxes of HTML ------------------------------------------------------------------

  /** The lines of a text node: their text and boxes. */
  function lines_of(node) {
    const range = document.createRange();
    const lines = [];
    for (let i = 0; i < node.length; ++i) {
      range.setStart(node, i);
      range.setEnd(node, i + 1);
      const box = range.getClientRects()[0];
      if (!box || box.width === 0) continue;
      const last = lines.at(-1);
      if (last && Math.abs(last.top - box.top) < 2) {
        last.text += node.data[i];
        last.right = box.right;
      } else {
        lines.push({text: node.data[i], top: box.top, height: box.height, left: box.left,
          right: box.right});
      }
    }
    return lines;
  }

  function text_vectors(node, origin) {
    const style = getComputedStyle(node.parentElement);
    const context = (dot || channels('black'), dot);
    context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const {fontBoundingBoxAscent: above, fontBoundingBoxDescent: below} = context.measureText('x');
    const right = style.textAlign === 'right' || style.textAlign === 'end';
    return lines_of(node).map((line) => svg('text', {
      'x': (right ? line.right : line.left) - origin.x,
      'y': line.top - origin.y + (line.height - above - below) / 2 + above,
      'font-family': style.fontFamily, 'font-size': style.fontSize,
      'font-weight': style.fontWeight === '400' ? null : style.fontWeight,
      'text-anchor': right ? 'end' : null, 'xml:space': 'preserve', ...paint('fill', style.color)},
    line.text));
  }

  /** The background and the borders of an element, as far as it has any. */
  function box_vectors(node, origin, pattern) {
    const box = node.getBoundingClientRect();
    const [x, y] = [box.left - origin.x, box.top - origin.y];
    const style = getComputedStyle(node);
    const parts = [];
    const add = (fill, left, top, width, height) => {
      if (width > 0 && height > 0 && (fill.startsWith('url(') || channels(fill)[3] > 0)) {
        parts.push(svg('rect', {x: left, y: top, width, height, ...paint('fill', fill)}));
      }
    };
    const {paint: name} = node.dataset;
    add(name ? pattern(name) : style.backgroundColor, x, y, box.width, box.height);
    const [top, right, bottom, left] = kSides.map((side) =>
      (style[`border-${side}-style`] === 'none' ? 0 : parseFloat(style[`border-${side}-width`])));
    add(style.borderTopColor, x, y, box.width, top);
    add(style.borderBottomColor, x, y + box.height - bottom, box.width, bottom);
    add(style.borderLeftColor, x, y, left, box.height);
    add(style.borderRightColor, x + box.width - right, y, right, box.height);
    return parts;
  }

  function element_vectors(node, origin, pattern) {
    const box = node.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return [];
    const [x, y] = [box.left - origin.x, box.top - origin.y];
    if (node.tagName === 'svg') return [drawing_vectors(node, x, y)];
    if (node.tagName === 'CANVAS') return [canvas_vectors(node, x, y)];
    return [...box_vectors(node, origin, pattern), ...[...node.childNodes].flatMap((child) =>
      (child.nodeType === Node.TEXT_NODE ? text_vectors(child, origin)
        : child.nodeType === Node.ELEMENT_NODE ? element_vectors(child, origin, pattern) : []))];
  }

  // --- Whole parts -----------------------------------------------------------------------------

  /** The room that an element takes; of a stage or a legend, the room that its contents take. */
  function content_box(node) {
    const inner = node.matches('.stage, .legend') ? node.querySelectorAll('svg, canvas, span') : [];
    const all = [...(inner.length ? inner : [node])].map((each) => each.getBoundingClientRect())
      .filter(({width}) => width > 0);
    const x = Math.min(...all.map((box) => box.left));
    const y = Math.min(...all.map((box) => box.top));
    return {x, y, width: Math.max(...all.map((box) => box.right)) - x,
      height: Math.max(...all.map((box) => box.bottom)) - y};
  }

  /** A part of the page as {node, width, height}: an SVG group and the room that it takes. */
  weft.vectors_of = function (part) {
    const defs = svg('defs');
    const used = new Map();
    const pattern = (name) => {
      const id = `paint-${name}`;
      if (!used.has(name)) used.set(name, defs.appendChild(weft.named_pattern(id, name)));
      return `url(#${id})`;
    };
    const box = content_box(part);
    return {width: box.width, height: box.height,
      node: svg('g', null, defs, ...element_vectors(part, box, pattern))};
  };
})(globalThis.weft);
