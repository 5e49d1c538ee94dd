// The points of a sweep, column by column: what is drawn and compared is a number for each point,
// and texts become their places in the sorted list of the column's texts.
'use strict';

(function (weft) {
  const {data} = weft;
  const kNoI32 = -(2 ** 31);
  const kIndexTypes = [[2 ** 8, Uint8Array], [2 ** 16, Uint16Array], [2 ** 32, Uint32Array]];

  // --- The forms of a column (docs/page.md) ----------------------------------------------------

  const index_of = ({words, index}) =>
    weft.decode_numbers(index, kIndexTypes.find(([most]) => words.length <= most)[1]);

  /** A column's cells as {words, index}, or as {numbers} with NaN for none. */
  function decoded(column, count) {
    if (column.i32 !== undefined) {
      return {numbers: Float64Array.from(weft.decode_numbers(column.i32, Int32Array),
        (value) => (value === kNoI32 ? NaN : value))};
    }
    if (column.f64 !== undefined) return {numbers: weft.decode_numbers(column.f64, Float64Array)};
    if (column.words === undefined) return {words: [column.value], index: new Uint8Array(count)};
    return {words: column.words, index: index_of(column)};
  }

  const collator = new Intl.Collator('en', {numeric: true});
  const is_text = (word) => typeof word === 'string';

  /** {values, words}: words are the sorted texts of a column of texts; else null. */
  function cells(column, count) {
    const {numbers, words, index} = decoded(column, count);
    if (numbers) return {values: numbers, words: null};
    if (!words.some(is_text)) {
      const plain = words.map((word) => (word === null ? NaN : word));
      return {values: Float64Array.from(index, (at) => plain[at]), words: null};
    }
    const sorted = [...new Set(words.filter((word) => word !== null).map(String))]
      .sort(collator.compare);
    const places = new Map(sorted.map((word, i) => [word, i]));
    const ranks = words.map((word) => (word === null ? NaN : places.get(String(word))));
    return {values: Float64Array.from(index, (at) => ranks[at]), words: sorted};
  }

  // --- Texts that are divided into words -------------------------------------------------------

  /** A function that gives the text of a point. */
  function texts(columns, count) {
    const parts = columns.map((column) => decoded(column, count));
    return (row) => parts.map(({words, index}) => words[index[row]])
      .filter((word) => word !== null).join(' ');
  }

  // --- All of it -------------------------------------------------------------------------------

  function read(points) {
    const {count} = points;
    const metrics = new Map(points.metrics.map((metric) => [metric.column, metric]));
    const columns = points.columns.map((column) => {
      const metric = metrics.get(column.name) || null;
      return {name: column.name, label: metric ? metric.label : column.name, metric,
        asked: column.asked, ...cells(column, count)};
    });
    const work = decoded(points.work, count);
    const number = points.number ? cells(points.number, count).values : null;
    return {count, columns, works: work.words, work: work.index,
      by_name: new Map(columns.map((column) => [column.name, column])),
      command: texts(points.command, count),
      number: (row) => (number ? number[row] : row + 1)};
  }

  weft.points = data.points ? read(data.points) : null;

  // --- What a number of points have in a column ------------------------------------------------

  /** The least and the largest value; NaN if there is none. */
  weft.range_of = function ({values}, rows) {
    let [low, high] = [NaN, NaN];
    for (const row of rows) {
      if (!(values[row] >= low)) low = Number.isNaN(values[row]) ? low : values[row];
      if (!(values[row] <= high)) high = Number.isNaN(values[row]) ? high : values[row];
    }
    return [low, high];
  };

  weft.has_values = (column, rows) => !Number.isNaN(weft.range_of(column, rows)[0]);

  weft.varies = function (column, rows) {
    const [low, high] = weft.range_of(column, rows);
    return low < high;
  };

  /** The values that occur, ascending. */
  weft.distinct = ({values}, rows) => [...new Set(Array.from(rows, (row) => values[row]))]
    .filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
})(globalThis.weft);
