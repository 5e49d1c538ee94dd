// The chosen point: its command, and all that the database has of it.
'use strict';

(function (weft) {
  const {el, points} = weft;
  if (!points) return;

  points.chosen = -1;

  /** A few lines about a point, for a tooltip. */
  weft.point_words = function (row) {
    const swept = points.listed.filter((column) => column.asked);
    const name = (column) => `${column.label} ${weft.point_text(column, row)}`;
    return [`point ${weft.count(points.number(row))}`, ...points.weighed.map((column) =>
      `${column.label}: ${weft.point_text(column, row)}`), swept.map(name).join(', ')]
      .filter(Boolean);
  };

  weft.copy_command = async function (row) {
    try {
      await navigator.clipboard.writeText(points.command(row));
      weft.say('Command copied');
    } catch {
      weft.say('The browser does not allow copying; the command is shown below');
    }
  };

  weft.choose_point = function (row) {
    points.chosen = row;
    weft.tell('chosen', row);
  };

  function facts(row) {
    const known = points.columns.filter((column) => !Number.isNaN(column.values[row]));
    return el('dl', {class: 'all-columns'}, ...known.map((column) => el('div', null,
      el('dt', null, column.label), el('dd', null, weft.point_text(column, row)))));
  }

  weft.draw_chosen = function () {
    const place = el('aside', {'id': 'chosen', 'aria-label': 'Chosen point', 'hidden': true});
    const words = el('strong', {id: 'chosen-words'});
    const command = el('code', {id: 'chosen-command'});
    const details = el('div');
    const more = el('details', {id: 'chosen-more'}, el('summary', null, 'All columns'), details);
    const close = () => weft.choose_point(-1);
    place.append(el('div', {class: 'controls'}, words,
      weft.button('Copy command', {id: 'copy-command'}, () => weft.copy_command(points.chosen)),
      weft.button('Close', {id: 'chosen-close'}, close)),
    el('p', {class: 'command', tabindex: 0}, command), more);
    document.body.append(place);
    const show_details = () => {
      if (more.open && points.chosen >= 0) details.replaceChildren(facts(points.chosen));
    };
    more.addEventListener('toggle', show_details);
    weft.on('chosen', (row) => {
      place.hidden = row < 0;
      if (row < 0) return;
      const error = weft.point_text(points.by_name.get('error'), row);
      words.textContent = error === '\u2013' ? weft.point_words(row).slice(0, 3).join(' · ')
        : `point ${weft.count(points.number(row))} failed: ${error}`;
      command.textContent = points.command(row);
      show_details();
    });
    weft.on('work', close);
    place.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') close();
    });
  };
})(globalThis.weft);
