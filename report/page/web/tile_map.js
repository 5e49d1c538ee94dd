// The tile map: operands and result cut into tiles, with padding hatched and the current fold
// marked.
'use strict';

(function (weft) {
  const {data, el, svg} = weft;
  const kHeads = 4;
  const kLetter = 7;  // approximate pixels per letter of a label

  let stage, readout, geometry, marks, drawing;

  const current_map = () => data.tiles[weft.map];

  // --- Words -----------------------------------------------------------------------------------

  function padded_sizes(map) {
    return {k: (map.k_edges.length - 1) * map.tile_k, n: (map.n_edges.length - 1) * map.tile_n};
  }

  function size_row(name, size, padded, tile) {
    const waste = 1 - size / padded;
    return el('tr', null, el('th', {scope: 'row'}, name), el('td', null, weft.count(size)),
      el('td', null, tile ? weft.count(padded / tile) : '\u2013'),
      el('td', null, weft.count(padded)), el('td', null, weft.percent(tile ? waste : 0)));
  }

  function size_table(map) {
    const padded = padded_sizes(map);
    const heads = ['', 'size', 'tiles', 'with padding', 'wasted'];
    return el('table', {class: 'sizes'},
      el('thead', null, el('tr', null, ...heads.map((head) => el('th', {scope: 'col'}, head)))),
      el('tbody', null, size_row('M (rows)', map.m, map.m, 0),
        size_row(`K (by ${map.tile_k})`, map.k, padded.k, map.tile_k),
        size_row(`N (by ${map.tile_n})`, map.n, padded.n, map.tile_n)));
  }

  /** How many of the weights K × N are zeros, because a tap does not reach each of the joined lines
   *  or a group does not meet each filter. K repeats for each piece of the weights. */
  function zero_share(map) {
    const mapping = (data.mappings || [])[map.mapping];
    return mapping ? 1 - map.useful * mapping.pieces / (map.m * map.k * map.n) : 0;
  }

  function zero_words(map) {
    const share = zero_share(map);
    if (share <= 0) return '';
    const between = weft.is_joined(data.mappings[map.mapping]) ? 'the taps of joined lines' : 'groups';
    return ` ${weft.percent(share)} of the weights within K and N are zeros between ${between}.`;
  }

  function words(map) {
    const chunks = map.m_edges.length - 1;
    const tiles = (map.k_edges.length - 1) * (map.n_edges.length - 1);
    return `${weft.plural(tiles, 'tile')} of weights, each streamed by ` +
      `${weft.plural(chunks, 'chunk')} of rows: ${weft.plural(tiles * chunks, 'fold')}. ` +
      `${weft.short(map.useful)} useful MACs; ${weft.percent(map.waste)} of what the array ` +
      `does is padding.${zero_words(map)}`;
  }

  function fold_words(matmul, map) {
    if (!weft.is_listed(weft.cycle)) {
      return 'The folds of this cycle are not listed on this page.';
    }
    if (!matmul || matmul.map !== weft.map) return 'No tile of this map is in the array now.';
    const row = weft.cycle - matmul.begin;
    const rows = matmul.end - matmul.begin;
    const where = weft.cycle < matmul.end
      ? `row ${weft.count(row + 1)} of ${weft.count(rows)} enters`
      : 'its last row has entered';
    return `Tile k${matmul.k_tile} n${matmul.n_tile}, chunk ${weft.count(matmul.chunk)}: ` +
      `${work_words(matmul, map)} PEs do useful work; ${where}.`;
  }

  /** "3 × 4 of 4 × 4", or how many if there are zeros between them. */
  function work_words(matmul, map) {
    const size = weft.tile_size(matmul);
    const held = zero_share(map) > 0 ? weft.weights_held(data.mappings[map.mapping],
      matmul.k_tile, matmul.n_tile, map.tile_n) : null;
    return held === null ? `${size.k} × ${size.n} of ${map.tile_k} × ${map.tile_n}`
      : `${weft.count(held)} of ${map.tile_k} × ${map.tile_n}`;
  }

  // --- Drawing ---------------------------------------------------------------------------------

  function matrix(x, y, across, down, kind) {
    const group = svg('g', {transform: `translate(${x},${y})`, class: `matrix ${kind}`});
    group.append(svg('rect', {width: across.length, height: down.length, class: 'sheet'}));
    for (const [from, to] of across.used ? weft.padding_stretches(across) : []) {
      group.append(svg('rect', {x: from, width: to - from, height: down.length, class: 'padding'}));
    }
    for (const [from, to] of down.used ? weft.padding_stretches(down) : []) {
      group.append(svg('rect', {y: from, height: to - from, width: across.length,
        class: 'padding'}));
    }
    group.append(lines(across, down));
    group.append(svg('rect', {width: across.length, height: down.length, class: 'edge'}));
    return group;
  }

  function lines(across, down) {
    let path = '';
    for (let i = across.group; i < across.tiles; i += across.group) {
      path += `M${across.at(i).toFixed(1)},0v${down.length.toFixed(1)}`;
    }
    for (let i = down.group; i < down.tiles; i += down.group) {
      path += `M0,${down.at(i).toFixed(1)}h${across.length.toFixed(1)}`;
    }
    return svg('path', {d: path, class: 'tile-lines'});
  }

  /** The name and the size; without room for both, the size or nothing. */
  function label(x, y, across, down, name) {
    const size = `[${weft.count(down.size)}, ${weft.count(across.size)}]`;
    const fits = (text) => across.length > kLetter * text.length + 10;
    const text = [`${name} ${size}`, size].find(fits) || '';
    return svg('text', {x: x + 7, y: y + 16, class: 'halo'}, text);
  }

  function grouping(g) {
    const grouped = [['K', g.k], ['N', g.n], ['chunks', g.m]].filter(([, of]) => of.group > 1);
    if (grouped.length === 0) return '';
    const each = grouped.map(([name, of]) => `${of.group} along ${name}`).join(', ');
    return ` Too many tiles to draw one by one: a line stands for every ${each}.`;
  }

  function draw(width) {
    const map = current_map();
    geometry = weft.tile_geometry(map, width, kHeads);
    const g = geometry;
    const [a, b, result] = operand_names(map);
    drawing = svg('svg', {...weft.chart_size(width, g.height + 6), role: 'img',
      'aria-label': `${map.name}: ${words(map)}`, id: 'tile-drawing'});
    drawing.append(weft.pattern_defs('tiles'),
      matrix(g.left, g.bottom, g.k, g.m, 'acts'),
      matrix(g.right, g.top, g.n, g.k, 'weights'),
      matrix(g.right, g.bottom, g.n, g.m, 'sums'));
    marks = svg('g', {class: 'marks'});
    drawing.append(marks, label(g.left, g.bottom, g.k, g.m, a),
      label(g.right, g.top, g.n, g.k, b), label(g.right, g.bottom, g.n, g.m, result));
    stage.replaceChildren(drawing);
    listen();
    mark();
  }

  const operand_names = (map) => map.operands || ['activations', 'weights', 'result'];

  /** Frames the current tiles, and draws lines at the current row. */
  function mark() {
    const at = weft.matmul_at(weft.cycle);
    const matmul = at < 0 || !weft.is_listed(weft.cycle) ? null : weft.matmuls[at];
    readout.textContent = fold_words(matmul, current_map());
    marks.replaceChildren();
    if (!matmul || matmul.map !== weft.map) return;
    weft.tile_boxes(geometry, matmul.chunk, matmul.k_tile, matmul.n_tile)
      .forEach((box, i) => marks.append(svg('rect', {...box, class: `current at-${i}`})));
    if (weft.cycle < matmul.end) mark_row(matmul);
  }

  function mark_row(matmul) {
    const [a, , result] = weft.tile_boxes(geometry, matmul.chunk, matmul.k_tile, matmul.n_tile);
    const share = (weft.cycle - matmul.begin + 0.5) / (matmul.end - matmul.begin);
    for (const box of [a, result]) {
      const y = box.y + share * box.height;
      marks.append(svg('line', {x1: box.x, x2: box.x + box.width, y1: y, y2: y, class: 'row'}));
    }
  }

  // --- Pointing --------------------------------------------------------------------------------

  function tile_under(of, offset) {
    if (offset < 0 || offset >= of.length) return -1;
    if (!of.edges) return Math.floor((offset / of.length) * of.tiles);
    return weft.lower_bound(of.edges, (offset / of.length) * of.padded + 1e-9) - 1;
  }

  /** The tile under a point of the drawing; -1 for a dimension that the matrix does not have. */
  function tile_at(x, y) {
    const g = geometry;
    const left = x < g.right;
    const above = y < g.bottom;
    if (left && above) return null;
    return {
      chunk: above ? -1 : tile_under(g.m, y - g.bottom),
      k_tile: left ? tile_under(g.k, x - g.left) : above ? tile_under(g.k, y - g.top) : -1,
      n_tile: left ? -1 : tile_under(g.n, x - g.right),
    };
  }

  const matches = (wanted, value) => wanted < 0 || wanted === value;

  function first_matmul(tile) {
    return weft.matmuls.find((each) => each.map === weft.map && matches(tile.chunk, each.chunk) &&
      matches(tile.k_tile, each.k_tile) && matches(tile.n_tile, each.n_tile));
  }

  function tile_words(tile) {
    const map = current_map();
    const parts = [];
    const part = (name, edges, i) => {
      if (i >= 0) parts.push(`${name} ${weft.count(i)}: ${weft.count(edges[i])} to ${weft.count(edges[i + 1] - 1)}`);
    };
    part('chunk', map.m_edges, tile.chunk);
    part('k tile', map.k_edges, tile.k_tile);
    part('n tile', map.n_edges, tile.n_tile);
    const matmul = first_matmul(tile);
    if (matmul) parts.push(`first in the array in cycle ${weft.count(matmul.begin)}; click to go`);
    return parts;
  }

  function listen() {
    const tile_of = (event) => {
      const box = drawing.getBoundingClientRect();
      return tile_at(event.clientX - box.left, event.clientY - box.top);
    };
    drawing.addEventListener('pointermove', (event) => {
      const tile = tile_of(event);
      weft.show_tip(tile && tile_words(tile), event.clientX, event.clientY);
    });
    drawing.addEventListener('pointerleave', weft.hide_tip);
    drawing.addEventListener('click', (event) => {
      const tile = tile_of(event);
      const matmul = tile && first_matmul(tile);
      if (matmul) weft.go_to(matmul.begin);
    });
  }

  // --- The section -----------------------------------------------------------------------------

  function chooser() {
    if (data.tiles.length < 2) return null;
    const select = el('select', {id: 'map-choice'},
      ...data.tiles.map((map, i) => el('option', {value: i}, map.name)));
    select.addEventListener('change', () => weft.select_map(Number(select.value)));
    weft.on('map', (index) => { select.value = String(index); });
    return el('label', {class: 'controls'}, 'Tile map of ', select);
  }

  function legend() {
    return el('p', {class: 'legend'},
      el('span', null, weft.key('padding'), 'padding: zeros that take time and do nothing'),
      el('span', null, weft.key('current'), 'the current fold'));
  }

  weft.draw_tile_map = function () {
    if (!data.tiles || data.tiles.length === 0) return;
    const section = weft.section('tiles', 'Tiles and padding',
      'The array holds one tile of the weights at a time. The operands are cut to its size; what ' +
      'does not fill a tile is padded with zeros, and a zero costs as much as any number.');
    const text = el('p', {class: 'facts'});
    const table = el('div', {class: 'scroll'});
    stage = el('div', {class: 'stage'});
    readout = el('p', {class: 'readout', id: 'fold'});
    const key = legend();
    section.append(chooser() || '', el('div', {class: 'tile-layout'}, stage,
      el('div', null, text, table, key, readout)));
    weft.let_save(section, () => [stage, key], () =>
      [data.tiles.length > 1 ? current_map().name : '', weft.total ? `cycle ${weft.cycle}` : '']
        .filter(Boolean).join(', '));
    const show = () => {
      text.textContent = words(current_map());
      table.replaceChildren(size_table(current_map()));
      if (stage.clientWidth > 0) draw(stage.clientWidth);
      text.append(scale_words());
    };
    weft.keep_drawn(stage, show);
    weft.on('map', show);
    weft.on('cycle', () => weft.draw_soon('tiles', mark));
  };

  function scale_words() {
    const scale = geometry.true_scale ? '' : ' Drawn not to scale: a side would be too thin.';
    return grouping(geometry) + scale;
  }
})(globalThis.weft);
