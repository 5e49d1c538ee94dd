// Finds places for names in a chart, so that none covers a point, another name or the edge. Names
// without a place are not written. Boxes are {x, y, width, height} in pixels.
'use strict';

(function (weft) {
  const kLetter = 6.7;   // approximate pixels per letter
  const kHeight = 15;
  const kLongest = 30;   // letters; the tooltip has the full name

  const overlap = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width &&
    a.y < b.y + b.height && b.y < a.y + a.height;

  const inside = (box, area) => box.x >= area.x && box.y >= area.y &&
    box.x + box.width <= area.x + area.width && box.y + box.height <= area.y + area.height;

  weft.box_of_circle = ({x, y, radius: r}) =>
    ({x: x - r - 1, y: y - r - 1, width: 2 * r + 2, height: 2 * r + 2});

  /** How many of `others` overlap one of `boxes`. */
  weft.count_overlaps = (boxes, others) =>
    others.filter((other) => boxes.some((box) => overlap(box, other))).length;

  weft.count_outside = (boxes, area) => boxes.filter((box) => !inside(box, area)).length;

  weft.clipped_name = (text, most = kLongest) =>
    (text.length > most ? `${text.slice(0, most - 1)}…` : text);

  weft.text_width = (text) => kLetter * text.length;

  /** Squares along a line that together cover it. */
  weft.boxes_on_line = function ([x1, y1], [x2, y2], size = 4) {
    const steps = Math.ceil(Math.hypot(x2 - x1, y2 - y1) / (size / 2));
    return Array.from({length: steps + 1}, (_, i) => ({width: size, height: size,
      x: x1 + (i / steps) * (x2 - x1) - size / 2, y: y1 + (i / steps) * (y2 - y1) - size / 2}));
  };

  /** Same for a slanted text centered at (x, y). */
  weft.slanted_boxes = function (x, y, angle, text) {
    const half = weft.text_width(text) / 2;
    const [across, down] = [half * Math.cos(angle), half * Math.sin(angle)];
    return weft.boxes_on_line([x - across, y - down], [x + across, y + down], kHeight);
  };

  /** Places right of a circle, left, above, below, and to the right at a slant. */
  function candidates({x, y, radius}, width) {
    const gap = radius + 5;
    const at = (left, top) => ({x: left, y: top, width, height: kHeight});
    const [middle, across] = [y - kHeight / 2, x - width / 2];
    return [at(x + gap, middle), at(x - gap - width, middle), at(across, y - gap - kHeight),
      at(across, y + gap), at(x + gap * 0.7, middle - 14), at(x + gap * 0.7, middle + 14)];
  }

  /**
   * For each of `marks` {x, y, radius, text}, most important first, the box of its name or null.
   * Names do not cover the boxes in `taken`.
   */
  weft.place_names = function (marks, taken, area) {
    const used = [...taken, ...marks.map(weft.box_of_circle)];
    return marks.map((mark) => {
      const box = candidates(mark, weft.text_width(mark.text)).find((each) =>
        inside(each, area) && !used.some((other) => overlap(each, other)));
      if (box) used.push(box);
      return box || null;
    });
  };
})(globalThis.weft);
