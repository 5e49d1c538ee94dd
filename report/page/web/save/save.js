// Saves a figure as an SVG file that stands alone, or as a PNG drawn from it at twice its size.
'use strict';

(function (weft) {
  const {data, el, svg} = weft;
  const kMargin = 14;
  const kGap = 12;         // between the parts of a figure
  const kPngScale = 2;
  const kLongestName = 80;
  const kNoXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Surrogate}]/gu;

  // --- Names -----------------------------------------------------------------------------------

  /** "matmul 64 x 64 x 64 on tiny" as "matmul-64x64x64-on-tiny". */
  function file_part(text) {
    return text.replace(/(\d) x (?=\d)/g, '$1x').replace(/[^A-Za-z0-9._]+/g, '-')
      .replace(/^[-.]+|[-.]+$/g, '').slice(0, kLongestName);
  }

  /** The file's name without its ending: the run, the figure, and what of it is shown. */
  const name_of = ({id, shows}) => [data.name || data.title, id, shows ? shows() : '']
    .map(file_part).filter(Boolean).join('-');

  // --- SVG -------------------------------------------------------------------------------------

  /** Leaves out patterns that nothing is filled with. */
  function drop_unused(root) {
    const used = new Set([...root.querySelectorAll('[fill]')].map((node) =>
      node.getAttribute('fill')));
    for (const pattern of root.querySelectorAll('pattern')) {
      if (!used.has(`url(#${pattern.id})`)) pattern.remove();
    }
    for (const defs of root.querySelectorAll('defs')) if (!defs.childElementCount) defs.remove();
  }

  /** The parts of a figure, one below the other, on the ground of the current theme. */
  function whole_figure({section, parts, shows}) {
    const title = section.querySelector('h2').textContent;
    const words = [title, shows && shows(), data.title].filter(Boolean).join(', ');
    const root = svg('svg', {role: 'img'}, svg('title', null, words));
    const ground = root.appendChild(svg('rect', {fill: weft.colors().ground}));
    let [width, height] = [0, kMargin];
    for (const part of parts()) {
      const vectors = weft.vectors_of(part);
      if (height > kMargin) height += kGap;
      vectors.node.setAttribute('transform', `translate(${kMargin},${height})`);
      root.append(vectors.node);
      width = Math.max(width, vectors.width);
      height += vectors.height;
    }
    const size = weft.chart_size(Math.ceil(width) + 2 * kMargin, Math.ceil(height) + kMargin);
    for (const [name, value] of Object.entries(size)) root.setAttribute(name, value);
    ground.setAttribute('width', size.width);
    ground.setAttribute('height', size.height);
    drop_unused(root);
    return {root, ...size};
  }

  function svg_text(root) {
    const text = new XMLSerializer().serializeToString(root).replace(kNoXml, '\ufffd');
    return `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`;
  }

  // --- PNG -------------------------------------------------------------------------------------

  async function png_blob({root, width, height}) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg_text(root))}`;
    await image.decode();
    const canvas = el('canvas', {width: kPngScale * width, height: kPngScale * height});
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));
    if (!blob) throw new Error('the browser made no picture');
    return blob;
  }

  // --- Files -----------------------------------------------------------------------------------

  const figures = new Map();

  /** The names of all figures that can be saved. */
  weft.figure_names = () => [...figures.keys()];

  /** A figure as a file {name, blob}; `kind` is 'svg' or 'png'. */
  weft.figure_file = async function (id, kind) {
    const figure = figures.get(id);
    const whole = whole_figure(figure);
    const blob = kind === 'png' ? await png_blob(whole)
      : new Blob([svg_text(whole.root)], {type: 'image/svg+xml'});
    return {name: `${name_of(figure)}.${kind}`, blob};
  };

  async function save(id, kind) {
    try {
      const {name, blob} = await weft.figure_file(id, kind);
      const url = URL.createObjectURL(blob);
      el('a', {href: url, download: name}).click();
      setTimeout(() => URL.revokeObjectURL(url), 60e3);
      weft.say(`Saved as ${name}`);
    } catch (error) {
      weft.say(`Not saved: ${error.message}`);
    }
  }

  /**
   * Adds the buttons that save the figure of a section. `parts()` gives its elements from top to
   * bottom; `shows()`, if given, says what of the run they show, such as the cycle.
   */
  weft.let_save = function (section, parts, shows = null) {
    const {id} = section;
    figures.set(id, {id, section, parts, shows});
    const heading = section.querySelector('h2');
    const button = (kind) => weft.button(kind.toUpperCase(), {'class': 'save', 'data-kind': kind,
      'aria-label': `Save ${heading.textContent} as ${kind.toUpperCase()}`,
      'title': `Save this figure as ${kind.toUpperCase()}`}, () => save(id, kind));
    const head = el('div', {class: 'head'});
    heading.replaceWith(head);
    head.append(heading, el('div', {class: 'saves', role: 'group', 'aria-label': 'Save the figure'},
      el('span', {class: 'hint', 'aria-hidden': 'true'}, 'save '), button('svg'), button('png')));
  };
})(globalThis.weft);
