// Plays time: play, pause, steps and speed. `weft.phase`, from 0 to 1, is the position between two
// cycles. It stays 0 when values jump from cycle to cycle.
'use strict';

(function (weft) {
  const kSmoothUpTo = 8;  // cycles per second; at higher speeds the eye cannot follow

  weft.speeds = [0.5, 1, 2, 4, 8, 15, 30, 60, 240, 1000, 10000, 100000];
  weft.speed = 2;
  weft.playing = false;
  weft.phase = 0;
  weft.frames = 0;  // frames drawn while playing, for measurements

  let last_time = null;
  let owed = 0;  // cycles that have passed but are not shown yet

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
    // A page in the background does not catch up afterwards.
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
