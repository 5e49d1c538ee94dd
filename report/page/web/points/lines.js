// Lines between parallel axes as a picture of their density. The lines between two axes join few
// places: they are counted first, so that thousands of points that share a line cost one.
'use strict';

(function (weft) {
  // How much of the ground a line hides: more if there are few lines.
  const kOneLine = 0.8;
  const kMany = 400;
  const kFewest = 0.25;
  const kMost = 30;

  class LinePicture {
    constructor(width, height) {
      this.width = width;
      this.height = height;
      this.canvas = weft.el('canvas', {width, height});
      this.context = this.canvas.getContext('2d');
      this.image = this.context.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.density = new Float32Array(width * (height + 1));
      this.pairs = new Uint32Array(height * height);
      this.used = new Int32Array(height * height);
    }

    /**
     * Draws the lines of `rows` over those of the picture `under`, if any: `axes` are {x, ys}, where
     * `ys` has the pixel of each row, or -1. `color` is [red, green, blue], up to 255.
     */
    draw(axes, rows, color, under = null) {
      this.density.fill(0);
      for (let i = 0; i + 1 < axes.length; ++i) this.#between(axes[i], axes[i + 1], rows);
      if (under) this.pixels.set(under.pixels);
      else this.pixels.fill(0);
      this.#paint(rows.length, color);
      return this.canvas;
    }

    #between(from, to, rows) {
      const {pairs, used, height} = this;
      let many = 0;
      for (const row of rows) {
        if (from.ys[row] < 0 || to.ys[row] < 0) continue;
        const pair = from.ys[row] * height + to.ys[row];
        if (pairs[pair]++ === 0) used[many++] = pair;
      }
      for (let i = 0; i < many; ++i) {
        const pair = used[i];
        this.#line(from.x, Math.floor(pair / height), to.x, pair % height, pairs[pair]);
        pairs[pair] = 0;
      }
    }

    /** Adds `weight` along a line, in each column of pixels shared by those that it passes. */
    #line(x1, y1, x2, y2, weight) {
      const {density, width} = this;
      const slope = (y2 - y1) / (x2 - x1);
      const thick = weight * Math.min(4, Math.sqrt(1 + slope * slope));
      if (Math.abs(slope) <= 1) {  // between two pixels; the picture has a spare row below
        for (let x = x1, y = y1; x < x2; ++x, y += slope) {
          const row = y | 0;
          const low = thick * (y - row);
          density[row * width + x] += thick - low;
          density[row * width + width + x] += low;
        }
        return;
      }
      for (let x = x1, y = y1; x < x2; ++x, y += slope) {
        const from = (slope > 0 ? y : y + slope) | 0;
        const to = (slope > 0 ? y + slope : y) | 0;
        const share = thick / (to - from + 1);
        for (let at = from * width + x; at <= to * width + x; at += width) density[at] += share;
      }
    }

    #paint(many, [red, green, blue]) {
      const {density, pixels} = this;
      const strength = kOneLine / Math.max(kFewest, Math.min(kMost, many / kMany));
      const ground = (blue << 16) | (green << 8) | red;
      for (let i = 0; i < pixels.length; ++i) {
        if (density[i] === 0) continue;
        const dense = strength * density[i];
        // From 0.12, so that a single line among thousands can be seen, up to 1.
        pixels[i] = ((255 * (0.12 + 0.88 * dense / (1 + dense))) << 24) | ground;
      }
      this.context.putImageData(this.image, 0, 0);
    }
  }

  weft.LinePicture = LinePicture;
})(globalThis.weft);
