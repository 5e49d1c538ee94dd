// Draws the timeline. Of several bars within one pixel only one is drawn, so that the cost depends
// on the width of the canvas and not on the number of instructions.
'use strict';

(function (weft) {
  const kLane = 24;
  const kGap = 5;
  const kRuler = 22;
  const kGutter = 68;
  const kLabelFrom = 46;  // least pixels of a bar with text

  // A unit has the color of a ledger class if its bars mean the same.
  const kUnitColors = {matmul: '#009e73', push: '#56b4e9', vector: '#0072b2'};
  const kOtherUnit = '#8894a8';
  const kDark = '#10151b';
  const kInkOn = {vector: '#ffffff'};

  weft.timeline_gutter = kGutter;

  weft.timeline_layout = function (lanes, width) {
    const rows = lanes.map((lane, i) => ({lane, y: kRuler + i * (kLane + kGap)}));
    const ledger_y = kRuler + lanes.length * (kLane + kGap) + 6;
    return {rows, ledger_y, lane_h: kLane, width, plot: Math.max(10, width - kGutter - 6),
      height: ledger_y + kLane + 6};
  };

  const x_of = (layout, view, cycle) =>
    kGutter + ((cycle - view.begin) / (view.end - view.begin)) * layout.plot;

  weft.timeline_cycle_at = (layout, view, x) =>
    view.begin + ((x - kGutter) / layout.plot) * (view.end - view.begin);

  weft.draw_timeline = function (context, layout, view, content) {
    context.textBaseline = 'middle';
    draw_ruler(context, layout, view);
    clipped(context, layout, () => {
      if (content.bins) draw_bins(context, layout, view, content);
      for (const row of layout.rows) draw_lane(context, layout, view, row, content);
      draw_runs(context, layout, view, content.runs, layout.ledger_y, kLane);
      draw_now(context, layout, view);
    });
    draw_names(context, layout);
  };

  function clipped(context, layout, action) {
    context.save();
    context.beginPath();
    context.rect(kGutter, 0, layout.plot, layout.height);
    context.clip();
    action();
    context.restore();
  }

  function draw_ruler(context, layout, view) {
    const {soft, line} = weft.colors();
    const scale = d3.scaleLinear().domain([view.begin, view.end]);
    const ticks = scale.ticks(Math.max(2, Math.floor(layout.plot / 90))).filter(Number.isInteger);
    for (const cycle of ticks) {
      const x = Math.round(x_of(layout, view, cycle)) + 0.5;
      context.strokeStyle = line;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(x, kRuler - 5);
      context.lineTo(x, layout.height - 4);
      context.stroke();
      const align = x > kGutter + layout.plot - 30 ? 'right' : x < kGutter + 20 ? 'left' : 'center';
      weft.put_text(context, weft.count(cycle), x, 9, align, soft, '11px sans-serif');
    }
  }

  function draw_names(context, layout) {
    const {ink, soft} = weft.colors();
    for (const {lane, y} of layout.rows) {
      weft.put_text(context, lane.name, kGutter - 8, y + kLane / 2, 'right', ink,
        '12px sans-serif');
    }
    weft.put_text(context, 'ledger', kGutter - 8, layout.ledger_y + kLane / 2, 'right', soft,
      '12px sans-serif');
  }

  // --- Bars ------------------------------------------------------------------------------------

  function draw_lane(context, layout, view, {lane, y}, content) {
    const color = kUnitColors[lane.name] || kOtherUnit;
    if (lane.waits) draw_runs(context, layout, view, lane.waits, y + 3, kLane - 6);
    let drawn_to = -1;
    for (let i = weft.first_bar(lane, view.begin); i < lane.begin.length; ++i) {
      if (lane.begin[i] >= view.end) break;
      const from = x_of(layout, view, lane.begin[i]);
      const to = x_of(layout, view, lane.end[i]);
      if (to - from < 1 && to <= drawn_to) continue;
      const left = to - from < 1 ? Math.max(from, drawn_to) : from;
      drawn_to = Math.max(to, left + 1);
      draw_bar(context, lane, i, left, drawn_to, y, color, layout, view);
      if (lane.index[i] === content.selected) frame_bar(context, from, to, y);
    }
  }

  function draw_bar(context, lane, i, from, to, y, color, layout, view) {
    const wide = to - from > 3;
    const solid_to = lane.entered ? Math.min(to, x_of(layout, view, lane.entered[i])) : to;
    context.fillStyle = color;
    if (lane.entered && wide) {
      context.globalAlpha = 0.3;  // rows are still in the array
      context.fillRect(solid_to, y + kLane * 0.62, to - solid_to, kLane * 0.3);
    }
    context.globalAlpha = 1;
    context.fillRect(from + (wide ? 0.5 : 0), y + 2, Math.max(1, solid_to - from - (wide ? 1 : 0)),
      kLane - 4);
    if (wide) {  // transfers overlap by their latency: an edge marks each start
      context.fillStyle = weft.colors().ground;
      context.fillRect(from, y + 2, 1, kLane - 4);
    }
    if (solid_to - from > kLabelFrom && lane.index.length) {
      label_bar(context, lane, i, from, solid_to, y);
    }
  }

  function label_bar(context, lane, i, from, to, y) {
    const left = Math.max(from, kGutter);
    const room = Math.floor((to - left - 8) / 6.7);
    const text = weft.data.timeline.instructions.text[lane.index[i]].replace(/^\w+ /, '');
    if (room < 4) return;
    const shown = text.length > room ? `${text.slice(0, room - 1)}…` : text;
    weft.put_text(context, shown, left + 4, y + kLane / 2 + 0.5, 'left',
      kInkOn[lane.name] || kDark, `11px ${weft.mono}`);
  }

  function frame_bar(context, from, to, y) {
    context.strokeStyle = weft.colors().ink;
    context.lineWidth = 2;
    context.strokeRect(from - 1, y + 1, Math.max(4, to - from + 2), kLane - 2);
  }

  function draw_runs(context, layout, view, runs, y, height) {
    let drawn_to = -1;
    for (let i = first_run(runs, view.begin); i < runs.length && runs[i].begin < view.end; ++i) {
      const from = x_of(layout, view, runs[i].begin);
      const to = x_of(layout, view, runs[i].end);
      if (to - from < 1 && to <= drawn_to) continue;
      drawn_to = Math.max(to, from + 1);
      context.fillStyle = weft.class_fill(context, runs[i].name);
      context.fillRect(from, y, drawn_to - from, height);
    }
  }

  function first_run(runs, cycle) {
    let low = 0;
    let high = runs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (runs[middle].end <= cycle) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // --- Shares where instructions are not listed --------------------------------------------------

  function draw_bins(context, layout, view, {bins, window, classes}) {
    const many = bins.busy.length ? bins.busy[0].length : 0;
    const first = Math.max(0, Math.floor(view.begin / bins.cycles));
    for (let bin = first; bin < many && bin * bins.cycles < view.end; ++bin) {
      const begin = bin * bins.cycles;
      if (begin >= window[0] && begin + bins.cycles <= window[1]) continue;
      // Whole pixels avoid seams between neighbors.
      const from = Math.round(x_of(layout, view, begin));
      const width = Math.max(1, Math.round(x_of(layout, view, begin + bins.cycles)) - from);
      draw_bin(context, layout, bins, bin, from, width);
      stack_bin(context, layout, bins, bin, from, width, classes);
    }
  }

  function draw_bin(context, layout, bins, bin, x, width) {
    for (const {lane, y} of layout.rows) {
      const height = (kLane - 4) * weft.lane_shares(bins, lane)[bin];
      context.fillStyle = kUnitColors[lane.name] || kOtherUnit;
      context.globalAlpha = 0.55;
      context.fillRect(x, y + kLane - 2 - height, width, height);
      context.globalAlpha = 1;
    }
  }

  function stack_bin(context, layout, bins, bin, x, width, classes) {
    let y = layout.ledger_y + kLane;
    classes.forEach((name, i) => {
      const height = kLane * bins.classes[i][bin];
      if (height <= 0) return;
      y -= height;
      context.fillStyle = weft.class_fill(context, name);
      context.fillRect(x, y, width, height);
    });
  }

  // --- Current cycle ---------------------------------------------------------------------------

  function draw_now(context, layout, view) {
    const x = x_of(layout, view, weft.cycle);
    const width = Math.max(2, x_of(layout, view, weft.cycle + 1) - x);
    const {accent} = weft.colors();
    context.fillStyle = accent;
    context.globalAlpha = 0.2;
    context.fillRect(x, kRuler - 6, width, layout.height - kRuler);
    context.globalAlpha = 1;
    context.fillRect(x, kRuler - 6, 2, layout.height - kRuler + 2);
    context.beginPath();
    context.moveTo(x - 5, kRuler - 8);
    context.lineTo(x + 7, kRuler - 8);
    context.lineTo(x + 1, kRuler);
    context.fill();
  }
})(globalThis.weft);
