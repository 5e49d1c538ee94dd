// What the run cost (--energy, --price-per-hour): energy by unit as a stacked bar, a table of the
// events, and the layers.
'use strict';

(function (weft) {
  const {data, el, svg} = weft;
  const kHeight = 46;
  const kLabelFrom = 76;
  const kThin = '\u202f';

  // The colors of the classes' palette that read well beside each other, and a name for each unit.
  const kUnits = {
    array: {name: 'array', color: '#0072b2'},
    accumulators: {name: 'accumulators', color: '#56b4e9'},
    buffer: {name: 'unified buffer', color: '#009e73'},
    fifo: {name: 'weight FIFO', color: '#cc79a7'},
    vector: {name: 'vector unit', color: '#8c5a9e'},
    memory: {name: 'memory', color: '#d55e00'},
    host: {name: 'host link', color: '#b8860b'},
    static: {name: 'static', color: '#6b6b6b'},
  };

  const kEvents = {
    useful_macs: 'useful MACs', padded_macs: 'MACs with padding',
    activation_moves: 'activation moves', sum_moves: 'sum moves', weight_moves: 'weight moves',
    accumulator_reads: 'rows read', accumulator_writes: 'rows written',
    accumulator_adds: 'sums added', buffer_reads: 'rows read', buffer_writes: 'rows written',
    fifo_reads: 'rows read', fifo_writes: 'rows written', vector_lanes: 'lanes',
    memory_bytes: 'bytes', host_bytes: 'bytes',
    active_cycles: 'active cycles', idle_cycles: 'other cycles',
  };

  const kPrefixes = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'],
    [1e-9, 'n'], [1e-12, 'p'], [1e-15, 'f']];

  /** "4.34 mJ". */
  weft.physical = function (value, unit) {
    if (!value) return `0${kThin}${unit}`;
    const [size, prefix] = kPrefixes.find(([each]) => value >= 0.9995 * each) || kPrefixes.at(-1);
    return `${(value / size).toPrecision(3)}${kThin}${prefix}${unit}`;
  };
  const joules = (value) => weft.physical(value, 'J');

  function bar(parts, total, width) {
    const drawing = svg('svg', {...weft.chart_size(width, kHeight), role: 'img', 'aria-label':
      parts.map(([unit, value]) => `${kUnits[unit].name} ${joules(value)}`).join(', ')});
    let x = 0;
    for (const [unit, value] of parts) {
      const length = (value / total) * width;
      drawing.append(svg('rect', {x, width: Math.max(0.5, length - 1), height: kHeight,
        fill: kUnits[unit].color, class: 'energy-piece', 'data-unit': unit},
      svg('title', null, `${kUnits[unit].name}: ${joules(value)}`)));
      if (length >= kLabelFrom) {
        drawing.append(svg('text', {x: x + 7, y: kHeight / 2 + 5, style: 'fill: #fff'},
          weft.percent(value / total, 0)));
      }
      x += length;
    }
    return drawing;
  }

  function legend(parts) {
    return el('p', {class: 'legend'}, ...parts.map(([unit, value]) => el('span', null,
      svg('svg', {width: 12, height: 12, 'aria-hidden': 'true'},
        svg('rect', {width: 12, height: 12, fill: kUnits[unit].color})),
      ` ${kUnits[unit].name} ${joules(value)}`)));
  }

  function event_table({events, joules: total}) {
    const row = (event) => el('tr', null,
      el('th', {scope: 'row'}, `${kUnits[event.unit].name}: ${kEvents[event.event]}`),
      el('td', null, weft.count(event.count)),
      el('td', null, weft.physical(event.pj_each * 1e-12, 'J')),
      el('td', null, joules(event.joules)), el('td', null, weft.percent(event.joules / total)));
    const sum = events.reduce((all, event) => all + event.joules, 0);
    return el('table', {class: 'numbers', id: 'energy-table'},
      el('thead', null, el('tr', null, ...['event', 'count', 'each', 'energy', 'share']
        .map((text) => el('th', {scope: 'col'}, text)))),
      el('tbody', null, ...events.filter((event) => event.count > 0).map(row)),
      el('tfoot', null, el('tr', null, el('th', {scope: 'row'}, 'total'), el('td'), el('td'),
        el('td', {id: 'energy-sum'}, joules(sum)), el('td', null, weft.percent(sum / total)))));
  }

  function layer_table({layers}, units) {
    const head = ['layer', ...units.map((unit) => kUnits[unit].name), 'total'];
    const row = (layer) => el('tr', null, el('th', {scope: 'row'}, layer.name),
      ...units.map((unit) => el('td', null, joules(layer.units[unit]))),
      el('td', null, joules(layer.joules)));
    return el('table', {class: 'numbers', id: 'energy-layers'},
      el('thead', null, el('tr', null, ...head.map((text) => el('th', {scope: 'col'}, text)))),
      el('tbody', null, ...layers.map(row)));
  }

  function words(energy, price) {
    const out = [];
    if (energy) {
      out.push(`${weft.physical(energy.watts, 'W')}, ${weft.physical(energy.chip_watts, 'W')} of ` +
        'it on the chip.');
      if (energy.pj_per_mac !== null) {
        out.push(`${joules(energy.pj_per_mac * 1e-12)} per useful MAC, ` +
          `${energy.tops_per_watt.toPrecision(3)} TOPS/W.`);
      }
      if (energy.array_mm2 !== null) {
        out.push(`The array has ${energy.array_mm2.toPrecision(3)}${kThin}mm² of gates and ` +
          'flip-flops; for the rest there is no synthesis.');
      }
    }
    if (price) {
      const of = price.of === 'inference' ? 'inferences' : 'runs';
      out.push(`A million ${of} cost ${price.per_million.toPrecision(4)} at ${price.per_hour} an ` +
        'hour.');
    }
    return out.join(' ');
  }

  weft.draw_energy = function () {
    const {energy, price} = data.report || {};
    if (!energy && !price) return;
    const section = weft.section('energy', 'What it cost', energy
      ? `${joules(energy.joules)} with the energies of ${energy.table}: events, and static power ` +
        'times the time.'
      : 'The price of the time.');
    if (energy && energy.joules > 0) {
      const parts = Object.entries(energy.units).filter(([, value]) => value > 0);
      const stage = el('div', {class: 'stage'});
      const key = legend(parts);
      const table = event_table(energy);
      section.append(stage, key, el('div', {class: 'scroll'}, table));
      if (energy.layers.length > 1) {
        section.append(el('h3', null, 'Layers'), el('div', {class: 'scroll'},
          layer_table(energy, parts.map(([unit]) => unit))));
      }
      weft.let_save(section, () => [stage, key, table]);
      weft.keep_drawn(stage, (width) =>
        stage.replaceChildren(bar(parts, energy.joules, width)));
    }
    section.append(el('p', {class: 'readout'}, words(energy, price)));
  };
})(globalThis.weft);
