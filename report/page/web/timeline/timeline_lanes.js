// The timeline's bars in lanes. Bars are in ascending order of begin and of end, because each unit
// works in order.
'use strict';

(function (weft) {
  const {data} = weft;

  // The classes of the ledger that fill gaps of the matmul lane.
  const is_stall = (name) => name.endsWith('_stall');

  function unit_lane(timeline, unit) {
    const {instructions: all} = timeline;
    const lane = {name: timeline.units[unit], unit, begin: [], end: [], index: []};
    for (let i = 0; i < all.unit.length; ++i) {
      if (all.unit[i] !== unit) continue;
      lane.begin.push(all.started[i]);
      lane.end.push(all.retired[i] + 1);
      lane.index.push(i);
    }
    return lane;
  }

  /** Adds to the matmul lane the cycles until its rows have entered, and its waits. */
  function with_streams(lane, timeline) {
    lane.entered = weft.matmuls.map((matmul) => matmul.end);
    lane.waits = span_runs(timeline).filter((run) => is_stall(run.name));
    return lane;
  }

  function push_lane(pushes) {
    return {name: 'push', unit: -1, begin: pushes.started, index: [],
      end: pushes.started.map((begin, i) => begin + pushes.cycles[i])};
  }

  function span_runs(timeline) {
    const {spans, classes} = timeline;
    if (!spans) return [];
    return spans.begin.map((begin, i) =>
      ({begin, end: spans.end[i], name: classes[spans.class[i]]}));
  }

  weft.timeline_lanes = function () {
    const {timeline} = data;
    const lanes = [];
    timeline.units.forEach((name, unit) => {
      const lane = unit_lane(timeline, unit);
      if (name === 'matmul') {
        const {pushes, bins} = timeline;
        if (pushes.started.length || (bins && bins.pushes.some(Boolean))) {
          lanes.push(push_lane(pushes));
        }
        with_streams(lane, timeline);
      }
      lanes.push(lane);
    });
    return {lanes, runs: span_runs(timeline)};
  };

  /** The first bar of a lane that ends after `cycle`. */
  weft.first_bar = (lane, cycle) => weft.lower_bound(lane.end, cycle + 1);

  /** The latest bar of a lane that covers `cycle`, or -1. */
  weft.bar_at = function (lane, cycle) {
    const at = weft.lower_bound(lane.begin, cycle + 1) - 1;
    return at >= 0 && cycle < lane.end[at] ? at : -1;
  };

  weft.run_at = function (runs, cycle) {
    let low = 0;
    let high = runs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (runs[middle].end <= cycle) low = middle + 1;
      else high = middle;
    }
    return low < runs.length && runs[low].begin <= cycle ? runs[low] : null;
  };

  // --- Shares where instructions are not listed -------------------------------------------------

  const bin_of = (bins, cycle) => Math.floor(cycle / bins.cycles);

  /** The cycles [begin, end) of the bin around `cycle`. */
  weft.bin_range = function ({bins}, cycle) {
    const begin = bin_of(bins, cycle) * bins.cycles;
    return [begin, Math.min(weft.total, begin + bins.cycles)];
  };

  /** For each bin, the share in which a lane is busy. */
  weft.lane_shares = (bins, lane) => (lane.unit < 0 ? bins.pushes : bins.busy[lane.unit]);

  /** A lane's busy share in the bin around `cycle`; null without bins. */
  weft.busy_share = ({bins}, lane, cycle) =>
    (bins ? weft.lane_shares(bins, lane)[bin_of(bins, cycle)] ?? null : null);

  /** The classes of the ledger in the bin around `cycle`, largest share first. */
  weft.class_shares = function ({bins, classes}, cycle) {
    if (!bins) return [];
    return classes.map((name, i) => ({name, share: bins.classes[i][bin_of(bins, cycle)] || 0}))
      .filter(({share}) => share > 0).sort((a, b) => b.share - a.share);
  };

  weft.instruction_words = function (index) {
    const {instructions: all, units} = data.timeline;
    return [`${units[all.unit[index]]} · instruction ${weft.count(index)}`, all.text[index],
      `dispatched in ${weft.count(all.dispatched[index])}, cycles ` +
      `${weft.count(all.started[index])} to ${weft.count(all.retired[index])}`];
  };
})(globalThis.weft);
