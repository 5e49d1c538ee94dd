// Scales of columns, and their values as text.
'use strict';

(function (weft) {
  const kLogFrom = 10;    // largest by least value; below, a scale is linear
  const kFew = 12;        // values that are their own ticks
  const kTickDigits = [3, 4, 5, 6, 7, 8];  // of ticks: the first that tells them apart
  const kShortFrom = {asked: 1e6, found: 1e4};  // 16,384 KiB were asked for, not 16.4 k
  const kPrefixed = /, (s|J|W)$/;
  const kPrefixes = [[1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p']];
  const kFont = "px system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif";

  // --- Text ------------------------------------------------------------------------------------

  /** "12.8 k" and "200 k": without zeros at the end of a fraction. */
  function without_zeros(value, unit, digits) {
    const [number, suffix] = weft.short(value, unit, digits).split('\u202f');
    return `${Number(number)}\u202f${suffix}`;
  }

  function with_prefix(value, unit, digits) {
    if (value === 0) return `0\u202f${unit}`;
    if (value >= 1000) return without_zeros(value, unit, digits);
    const [size, prefix] = kPrefixes.find(([each]) => Math.abs(value) >= 0.9999 * each) ||
      kPrefixes.at(-1);
    return `${Number((value / size).toPrecision(digits))}\u202f${prefix}${unit}`;
  }

  function number_text(value, digits) {
    if (Number.isInteger(value) || Math.abs(value) >= 10 ** digits) return weft.count(value);
    if (Math.abs(value) < 1e-3) return value.toExponential(digits - 1);
    return String(Number(value.toPrecision(digits)));
  }

  /** A value of a column, without the unit that its label has. */
  function value_text(column, value, digits) {
    if (Number.isNaN(value)) return '\u2013';
    if (column.words) return column.words[Math.round(value)] ?? '';
    const unit = kPrefixed.exec(column.label);
    return unit ? with_prefix(value, unit[1], digits) : number_text(value, digits);
  }

  weft.value_text = (column, value) => value_text(column, value, 4);
  weft.point_text = (column, row) => value_text(column, column.values[row], 4);

  /** A value, short enough for an axis. */
  function tick_text(column, value, digits) {
    const long = kShortFrom[column.asked ? 'asked' : 'found'];
    const plain = column.words || kPrefixed.test(column.label) || Math.abs(value) < long;
    return plain ? value_text(column, value, digits) : without_zeros(value, '', digits);
  }

  /** As few digits as tell the ticks apart: 100.2 k and 100.4 k need four. */
  function digits_of(column, ticks) {
    const differ = (digits) =>
      new Set(ticks.map((tick) => tick_text(column, tick, digits))).size === ticks.length;
    return kTickDigits.find(differ) ?? kTickDigits.at(-1);
  }

  const shown_at_once = (text, most) => weft.clipped_name(text, Math.max(3, most));

  // --- Scales ----------------------------------------------------------------------------------

  /** The column's values among the points, and some room where they have only one. */
  function domain_of(column, rows) {
    const [low, high] = weft.range_of(column, rows);
    if (Number.isNaN(low)) return [0, 1];
    if (column.words) return [low - 0.5, high + 0.5];
    if (low < high) return [low, high];
    return low === 0 ? [-1, 1] : [low - Math.abs(low) / 2, low + Math.abs(low) / 2];
  }

  /** Powers of ten; 1, 2 and 5 times these if they are few. */
  function log_ticks([low, high], most) {
    for (const steps of [[1, 2, 5], [1, 3], [1]]) {
      const ticks = [];
      for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); ++e) {
        for (const step of steps) ticks.push(Number(`${step}e${e}`));
      }
      const inside = ticks.filter((tick) => tick >= low && tick <= high);
      if (inside.length <= most) return inside;
    }
    return [low, high];
  }

  /** The values themselves if somebody chose them and they are few, else round numbers. */
  function ticks_of(column, rows, domain, is_log, most) {
    const values = weft.distinct(column, rows);
    if ((column.asked || column.words) && values.length <= kFew) return values;
    if (values.length === 1) return values;
    if (!column.words) {
      return is_log ? log_ticks(domain, most) : d3.scaleLinear().domain(domain).ticks(most);
    }
    const [low, high] = domain;
    const step = Math.max(1, Math.ceil((high - low) / most));
    return d3.range(Math.ceil(low), Math.floor(high) + 1, step);
  }

  /** Leaves out ticks that are nearer to the one before than `room` pixels. */
  function apart(ticks, to, room) {
    let last = -Infinity;
    return ticks.filter((tick) => {
      if (Math.abs(to(tick) - last) < room) return false;
      last = to(tick);
      return true;
    });
  }

  /**
   * {to, from, domain, ticks}: `to` gives the place of a value and `from` the value at a place.
   * Values over more than a power of ten have a logarithmic scale. Ticks are `room` pixels apart.
   */
  weft.column_scale = function (column, rows, range, {most = 6, room = 14, pad = 0} = {}) {
    const domain = domain_of(column, rows);
    const is_log = !column.words && domain[0] > 0 && domain[1] >= kLogFrom * domain[0];
    const scale = (is_log ? d3.scaleLog() : d3.scaleLinear()).domain(domain);
    const away = Math.sign(range[1] - range[0]) * pad;
    scale.range([range[0] + away, range[1] - away]);
    const ticks = apart(ticks_of(column, rows, domain, is_log, most), scale, room);
    const digits = digits_of(column, ticks);
    return {column, domain, is_log, ticks, to: (value) => scale(value),
      from: (at) => scale.invert(at), text: (value) => tick_text(column, value, digits)};
  };

  /** "time, s, less is better". */
  weft.label_of = ({label, metric}) =>
    (metric ? `${label}, ${metric.more_is_better ? 'more' : 'less'} is better` : label);

  // --- On a canvas -----------------------------------------------------------------------------

  weft.canvas_font = (size) => `${size}${kFont}`;

  /** Writes on a canvas; `align` is left, center or right. */
  weft.canvas_text = function (context, text, x, y, align, color, size = 11) {
    context.font = weft.canvas_font(size);
    context.textAlign = align;
    context.textBaseline = 'middle';
    context.fillStyle = color;
    context.fillText(text, x, y);
  };

  weft.canvas_line = function (context, color, width, ...places) {
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    places.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
  };

  /** Two axes around `area` {left, top, right, bottom}, with lines across. */
  weft.draw_two_axes = function (context, x, y, area) {
    const {line, soft} = weft.colors();
    for (const tick of x.ticks) {
      const at = Math.round(x.to(tick)) + 0.5;
      weft.canvas_line(context, line, 1, [at, area.top], [at, area.bottom]);
      weft.canvas_text(context, shown_at_once(x.text(tick), 12), at, area.bottom + 12, 'center',
        soft);
    }
    for (const tick of y.ticks) {
      const at = Math.round(y.to(tick)) + 0.5;
      weft.canvas_line(context, line, 1, [area.left, at], [area.right, at]);
      weft.canvas_text(context, shown_at_once(y.text(tick), 9), area.left - 6, at, 'right', soft);
    }
    weft.canvas_text(context, weft.label_of(x.column), area.right, area.bottom + 31, 'right', soft,
      12);
    weft.canvas_text(context, weft.label_of(y.column), 2, area.top - 16, 'left', soft, 12);
  };
})(globalThis.weft);
