// Which points the page shows: those of one workload that lie in all brushes. A brush is a range of
// a column; both ends belong to it. Points that failed have no figures.
'use strict';

(function (weft) {
  const {points} = weft;
  if (!points) return;
  const error = points.by_name.get('error');
  const failed = Uint8Array.from(error.values, (value) => (Number.isNaN(value) ? 0 : 1));
  const all = Int32Array.from({length: points.count}, (_, row) => row);

  // A text of the column `error` is a failure; so is a number, which only another program writes.
  points.failed_rows = all.filter((row) => failed[row]);
  points.good_rows = all.filter((row) => !failed[row]);

  points.current = 0;           // the workload
  points.rows = all;            // its points that have figures
  points.failures = all;        // its other points
  points.shown = all;           // those of `rows` in all brushes
  points.shown_failures = all;
  points.brushes = new Map();   // from a column's name to [low, high]
  points.mask = new Uint8Array(points.count);  // 1: in all brushes

  function in_brushes(row) {
    for (const [name, [low, high]] of points.brushes) {
      const value = points.by_name.get(name).values[row];
      if (!(value >= low && value <= high)) return 0;
    }
    return 1;
  }

  function find_shown() {
    const {rows, failures, mask} = points;
    for (const row of rows) mask[row] = in_brushes(row);
    for (const row of failures) mask[row] = in_brushes(row);
    points.shown = rows.filter((row) => mask[row]);
    points.shown_failures = failures.filter((row) => mask[row]);
  }

  function select() {
    find_shown();
    weft.tell('points');
  }

  weft.set_brush = function (name, low, high) {
    points.brushes.set(name, [Math.min(low, high), Math.max(low, high)]);
    select();
  };

  weft.drop_brush = function (name) {
    if (points.brushes.delete(name)) select();
  };

  weft.drop_brushes = function () {
    points.brushes.clear();
    select();
  };

  /** Shows the points of another workload, without brushes: their ranges are others. */
  weft.set_work = function (index) {
    points.current = index;
    points.rows = points.good_rows.filter((row) => points.work[row] === index);
    points.failures = points.failed_rows.filter((row) => points.work[row] === index);
    points.brushes.clear();
    find_shown();
    weft.tell('work', index);
    weft.tell('points');
  };

  // --- Columns that are worth showing ----------------------------------------------------------

  const of_all = () => [...points.rows, ...points.failures];

  /** Columns of what was asked for in which the workload's points differ. */
  weft.swept_columns = () => points.columns.filter((column) =>
    column.asked && weft.varies(column, of_all()));

  /** Figures that a front can weigh and that the workload's points have. */
  weft.metric_columns = () => points.columns.filter((column) =>
    column.metric && !column.words && weft.has_values(column, points.rows));

  /** Columns of what was found in which the workload's points differ. */
  weft.found_columns = () => points.columns.filter((column) =>
    !column.asked && column !== error && weft.varies(column, points.rows));
})(globalThis.weft);
