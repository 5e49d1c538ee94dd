// The files of measurements that a comparison imported: how much of their time its rows show, and
// what they do not show.
'use strict';

(function (weft) {
  const {data, el} = weft;

  const share_of = (part, all) => (all > 0 ? part / all : 1);

  /** A bar whose filled part is the share of the time that the rows show. */
  function share_bar(share) {
    const filled = el('span');
    filled.style.width = `${100 * share}%`;
    return el('div', {'class': 'matched-share', 'role': 'img',
      'aria-label': `${weft.percent(share)} matched`}, filled);
  }

  const head = (...names) => el('thead', null, el('tr', null, ...names.map(([name, kind]) =>
    el('th', {scope: 'col', class: kind}, name))));
  const cell = (text, kind = 'number') => el('td', {class: kind}, text);

  function device_table(file) {
    return el('table', {class: 'layers imported-devices'},
      head(['device', 'text'], ['time in the file', 'number'], ['matched', 'number'],
        ['share', 'number']),
      el('tbody', null, ...file.devices.map((device) => el('tr', null,
        cell(device.device || '\u2013', 'text'), cell(weft.duration(device.seconds)),
        cell(weft.duration(device.matched_seconds)),
        cell(weft.percent(share_of(device.matched_seconds, device.seconds)))))));
  }

  function unmatched_table(file) {
    return el('table', {class: 'layers unmatched'},
      head(['not matched', 'text'], ['operands', 'text'], ['device', 'text'], ['runs', 'number'],
        ['time', 'number'], ['share', 'number']),
      el('tbody', null, ...file.unmatched.map((time) => el('tr', null,
        cell(weft.clipped_name(time.name || '\u2013', 60), 'text'), cell(time.operands, 'text'),
        cell(time.device, 'text'), cell(weft.count(time.count)), cell(weft.duration(time.seconds)),
        cell(weft.percent(share_of(time.seconds, file.seconds)))))));
  }

  function rest_words(file) {
    if (!file.unmatched_left) return null;
    return el('p', {class: 'hint'}, `${weft.count(file.unmatched_left)} more are not listed: ` +
      `${weft.duration(file.unmatched_left_seconds)}. --json has all.`);
  }

  /** What the share is of, and which report says so if the file itself was not read. */
  function share_words(file, share) {
    const of_what = file.of_rows ? `the ${weft.duration(file.seconds)} of its imported rows`
      : `its ${weft.duration(file.seconds)}`;
    const recorded = file.recorded_in ? ` Recorded in ${file.recorded_in}.` : '';
    return `${file.format}; ${file.time_of}. ${weft.percent(share)} of ${of_what} matched.${recorded}`;
  }

  function draw_file(section, file) {
    const share = share_of(file.matched_seconds, file.seconds);
    section.append(el('h3', null, file.file),
      el('p', {class: 'matched-words'}, share_words(file, share)),
      share_bar(share), el('div', {class: 'scroll'}, device_table(file)),
      ...file.notes.map((note) => el('p', {class: 'hint'}, note)));
    if (file.unmatched.length === 0) return;
    section.append(el('div', {class: 'scroll'}, unmatched_table(file)));
    const rest = rest_words(file);
    if (rest) section.append(rest);
  }

  weft.draw_imports = function () {
    if (!data.compare || data.compare.imports.length === 0) return;
    const section = weft.section('imports', 'Measured elsewhere',
      'Imported rows show the times of these files as they are. What is not matched is no part of ' +
      'the compared product or network, or the file does not say what it computes.');
    for (const file of data.compare.imports) draw_file(section, file);
  };
})(globalThis.weft);
