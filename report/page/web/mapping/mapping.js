// The mapping of the chosen layer: its facts, all its k tiles, and the rows and columns of the tile
// that is in the array.
'use strict';

(function (weft) {
  const {data, el} = weft;

  let layout, bars, detail, facts, readout, name, product_choice;
  let elsewhere = null;  // a layer without the array, which is shown in place of a mapping
  let shown = {product: 0, tile: 0, n_tile: 0};

  const current = () => {
    const map = (data.tiles || [])[weft.map];
    return map ? data.mappings[map.mapping] : null;
  };

  const machine = () => data.report.machine;

  // --- Words -----------------------------------------------------------------------------------

  const facts_table = (rows) => el('table', {class: 'mapping-facts'},
    el('tbody', null, ...rows.map(([key, value]) =>
      el('tr', null, el('th', {scope: 'row'}, key), el('td', null, value)))));

  function product_words(product) {
    const front = Math.min(...product.rows.row);
    return `${weft.plural(product.products, 'product')} from row ${front} of the array`;
  }

  // --- Drawing ---------------------------------------------------------------------------------

  const kPlaces = {vector: 'the vector unit, not the array', host: 'the host, not the array'};

  function draw_elsewhere() {
    name.textContent = elsewhere.name;
    const rows = [['runs on', kPlaces[elsewhere.on] || elsewhere.on]];
    if (elsewhere.lanes) rows.push(['lanes', elsewhere.lanes]);
    facts.replaceChildren(facts_table(rows));
    for (const node of [bars, detail, product_choice]) node.replaceChildren();
    readout.textContent = '';
  }

  function draw_products(mapping) {
    if (mapping.products.length < 2) return product_choice.replaceChildren();
    const select = el('select', {id: 'product-choice'}, ...mapping.products.map((product, i) =>
      el('option', {value: i}, product_words(product))));
    select.value = String(shown.product);
    select.addEventListener('change', () => {
      shown = {...shown, product: Number(select.value), tile: 0};
      draw();
    });
    product_choice.replaceChildren(el('label', {class: 'controls'}, 'Rows of ', select));
  }

  function draw() {
    layout.classList.toggle('elsewhere', Boolean(elsewhere));
    if (elsewhere) return draw_elsewhere();
    const mapping = current();
    if (!mapping || bars.clientWidth === 0) return;
    const product = mapping.products[shown.product];
    const tiles = weft.mapping_tiles(product);
    const {rows} = machine();
    name.textContent = data.tiles[weft.map].name;
    facts.replaceChildren(facts_table(mapping.facts));
    draw_products(mapping);
    bars.replaceChildren(weft.draw_k_tiles(mapping, product, tiles, rows, bars.clientWidth, choose));
    const tile = tiles[shown.tile];
    detail.replaceChildren(
      weft.draw_array_rows(mapping, tile, shown.n_tile, machine(), detail.clientWidth));
    bars.querySelector(`[data-tile='${tile.number}']`).classList.add('shown');
    readout.textContent = weft.tile_words(mapping, tile, shown.n_tile, machine());
  }

  const redraw = () => weft.draw_soon('mapping', draw);

  // --- What is shown ---------------------------------------------------------------------------

  /** Shows the listed k tile number `index`, and goes to its first row in the array. */
  function choose(index) {
    const {number} = weft.mapping_tiles(current().products[shown.product])[index];
    shown = {...shown, tile: index};
    const matmul = weft.matmuls.find((each) => each.map === weft.map && each.k_tile === number);
    if (matmul) weft.go_to(matmul.begin);
    redraw();
  }

  function show_layer(layer) {
    const wanted = layer && (layer.tile_map ?? null) === null ? layer : null;
    if (wanted === elsewhere) return;
    elsewhere = wanted;
    redraw();
  }

  /** Follows the tile in the array, or the layer of a cycle without one. */
  function follow() {
    const at = weft.is_listed(weft.cycle) ? weft.matmul_at(weft.cycle) : -1;
    const matmul = weft.matmuls[at];
    if (!matmul || weft.cycle >= matmul.end) return show_layer(weft.layer_at(weft.cycle));
    const was = JSON.stringify([shown, Boolean(elsewhere)]);
    elsewhere = null;
    if (matmul.map === weft.map) {
      const tile = current().products[shown.product].k_tiles.indexOf(matmul.k_tile);
      shown = {...shown, n_tile: matmul.n_tile, tile: tile < 0 ? shown.tile : tile};
    }
    if (was !== JSON.stringify([shown, false])) redraw();
  }

  // --- The section -----------------------------------------------------------------------------

  const legend = () => el('p', {class: 'legend'},
    el('span', null, weft.key('weights'), 'weights: a color for each tap, or for each channel ' +
      'whose taps lie side by side; between joined lines a color for each line of the filters'),
    el('span', null, weft.key('padding'), 'zeros'));

  weft.draw_mapping = function () {
    const any = (data.layers || []).some((layer) => layer.lanes);
    if (!any && !(data.mappings || []).length) return;
    const section = weft.section('mapping', 'Mapping',
      'Which weights lie in which rows of the array. A bar is a k tile, from its first row down; ' +
      'below it is its number, above it its tap if there is one. The large drawing has the rows ' +
      'and columns of the tile that is in the array. With joined lines, each line of the result ' +
      'has its own columns, and the weights of a tile are bands.');
    name = el('h3', {id: 'mapping-name'});
    facts = el('div', {class: 'scroll'});
    product_choice = el('div');
    bars = el('div', {class: 'stage'});
    detail = el('div', {class: 'stage'});
    readout = el('p', {class: 'readout', id: 'rows'});
    const key = legend();
    layout = el('div', {class: 'tile-layout'}, detail, el('div', null, facts, key, readout));
    section.append(name, product_choice, bars, layout);
    weft.let_save(section, () => (elsewhere ? [facts] : [bars, detail, key]), () => name.textContent);
    weft.keep_drawn(bars, draw);
    weft.on('map', () => {
      elsewhere = null;
      shown = {product: 0, tile: 0, n_tile: 0};
      redraw();
    });
    weft.on('cycle', follow);
    weft.on('layer', show_layer);
  };
})(globalThis.weft);
