// Time runs: play, pause, steps and speed. Between two cycles `weft.phase`, 0 to 1, says how far
// the values have moved on; it stays 0 where they are shown to jump.
'use strict';

(function (weft) {
  const kSmoothUpTo = 8;  // cycles a second; faster, there is nothing to follow between cycles

  weft.speeds = [0.5, 1, 2, 4, 8, 15, 30, 60, 240, 1000, 10000, 100000];
  weft.speed = 2;
  weft.playing = false;
  weft.phase = 0;
  weft.frames = 0;  // drawn while playing, for whoever measures

  let last_time = null;
  let owed = 0;  // cycles that have passed and are not shown yet

  weft.play = function () {
    if (weft.playing) return;
    if (weft.cycle >= weft.last_cycle) weft.go_to(0);
    weft.playing = true;
    last_time = null;
    owed = 0;
    weft.tell('playing', true);
    requestAnimationFrame(advance);
  };

  weft.pause = function () {
    if (!weft.playing) return;
    weft.playing = false;
    weft.phase = 0;
    weft.tell('playing', false);
    weft.tell('phase', 0);
  };

  weft.toggle = () => (weft.playing ? weft.pause() : weft.play());

  weft.step = function (cycles) {
    weft.pause();
    weft.go_to(weft.cycle + cycles);
  };

  weft.set_speed = function (cycles_per_second) {
    weft.speed = cycles_per_second;
    weft.tell('speed', cycles_per_second);
  };

  weft.faster = function (direction) {
    const at = weft.speeds.indexOf(weft.speed) + direction;
    if (at >= 0 && at < weft.speeds.length) weft.set_speed(weft.speeds[at]);
  };

  function advance(time) {
    if (!weft.playing) return;
    // A page that was in the background does not catch up.
    owed += Math.min(0.25, last_time === null ? 0 : (time - last_time) / 1000) * weft.speed;
    last_time = time;
    ++weft.frames;
    const whole = Math.floor(owed);
    owed -= whole;
    weft.phase = weft.speed <= kSmoothUpTo && !weft.calm() ? owed : 0;
    if (whole > 0) weft.go_to(weft.cycle + whole);
    else if (weft.phase > 0) weft.tell('phase', weft.phase);
    if (weft.cycle >= weft.last_cycle) weft.pause();
    else requestAnimationFrame(advance);
  }
})(globalThis.weft);
