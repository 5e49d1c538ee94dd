// A training run: loss and accuracy over the steps, as curves and as a table. Solid lines are the
// training images, dashed lines the test images; a faint line behind them is single steps.
'use strict';

(function (weft) {
  const {data, el} = weft;
  const kMargin = {top: 22, right: 14, bottom: 26, left: 62};
  const kHeight = 190;
  const kParts = [{part: 'train', label: 'training images', color: '#0072b2', dash: null},
    {part: 'test', label: 'test images', color: '#d55e00', dash: '6 4'}];

  const number = (value) =>
    (Number.isFinite(value) ? Number(value.toPrecision(3)).toString() : '–');

  function frame(width, x, y, kind) {
    const root = d3.create('svg').attr('width', width).attr('height', kHeight)
      .attr('viewBox', `0 0 ${width} ${kHeight}`)
      .attr('role', 'img').attr('aria-label', `${kind.name}; the table below has its numbers`);
    root.append('g').attr('class', 'axis')
      .attr('transform', `translate(0,${kHeight - kMargin.bottom})`)
      .call(d3.axisBottom(x).ticks(Math.max(3, width / 90)).tickFormat(weft.count));
    root.append('g').attr('class', 'axis').attr('transform', `translate(${kMargin.left},0)`)
      .call(d3.axisLeft(y).ticks(4).tickFormat(kind.text));
    root.append('text').attr('class', 'axis-name').attr('x', kMargin.left).attr('y', 12)
      .text(kind.name);
    return root;
  }

  function draw_part(root, epochs, x, y, kind, {part, color, dash}) {
    const points = epochs.filter((epoch) => Number.isFinite(epoch[part][kind.key]));
    const height = (epoch) => y(epoch[part][kind.key]);
    root.append('path').attr('class', `curve ${part}`).attr('stroke', color)
      .attr('stroke-dasharray', dash)
      .attr('d', d3.line().x((epoch) => x(epoch.step)).y(height)(points));
    root.append('g').selectAll('circle').data(points).enter().append('circle')
      .attr('class', 'dot').attr('r', 3).attr('fill', color)
      .attr('cx', (epoch) => x(epoch.step)).attr('cy', height);
  }

  function panel(width, x, kind) {
    const {epochs} = data.training;
    const shown = [...kind.steps.map((each) => each.loss),
      ...epochs.flatMap((epoch) => kParts.map(({part}) => epoch[part][kind.key]))]
      .filter(Number.isFinite);
    const low = kind.low === undefined ? d3.min(shown) : kind.low;
    const y = d3.scaleLinear().domain([low, kind.high || d3.max(shown)]).nice()
      .range([kHeight - kMargin.bottom, kMargin.top]);
    const root = frame(width, x, y, kind);
    root.append('path').attr('class', 'curve steps')
      .attr('d', d3.line().x((each) => x(each.step)).y((each) => y(each.loss))(kind.steps));
    for (const each of kParts) draw_part(root, epochs, x, y, kind, each);
    return root.node();
  }

  function epoch_words(epoch) {
    return [`epoch ${epoch.epoch}, step ${weft.count(epoch.step)}`,
      `training: loss ${number(epoch.train.loss)}, ${weft.percent(epoch.train.accuracy)} right`,
      `test: loss ${number(epoch.test.loss)}, ${weft.percent(epoch.test.accuracy)} right`];
  }

  function draw(stage, width) {
    const {epochs, steps} = data.training;
    const last = Math.max(1, epochs[epochs.length - 1].step);
    const x = d3.scaleLinear().domain([0, last]).range([kMargin.left, width - kMargin.right]);
    stage.replaceChildren(
      panel(width, x, {name: 'loss over steps', key: 'loss', steps, low: 0, text: number}),
      panel(width, x, {name: 'accuracy over steps', key: 'accuracy', steps: [], high: 1,
        text: (value) => weft.percent(value, 0)}));
    weft.tell_nearest(stage, x, epochs, (epoch) => epoch.step, epoch_words);
  }

  function legend() {
    const line = ({color, dash}) => weft.svg('svg', {width: 34, height: 10, 'aria-hidden': 'true'},
      weft.svg('line', {x1: 0, x2: 34, y1: 5, y2: 5, stroke: color, 'stroke-width': 2,
        'stroke-dasharray': dash}));
    return el('p', {class: 'legend'}, ...kParts.map((part) =>
      el('span', null, line(part), part.label)));
  }

  function table(epochs) {
    const names = ['epoch', 'steps', 'loss', 'accuracy', 'test loss', 'test accuracy', 'time'];
    const row = (epoch) => el('tr', null, el('th', {scope: 'row'}, weft.count(epoch.epoch)),
      ...[weft.count(epoch.step), number(epoch.train.loss), weft.percent(epoch.train.accuracy),
        number(epoch.test.loss), weft.percent(epoch.test.accuracy),
        weft.duration(epoch.seconds)].map((text) => el('td', null, text)));
    return el('div', {class: 'scroll'}, el('table', {class: 'sizes', id: 'epochs-table'},
      el('thead', null, el('tr', null, ...names.map((name) => el('th', {scope: 'col'}, name)))),
      el('tbody', null, ...epochs.map(row))));
  }

  weft.draw_training = function () {
    const {training} = data;
    if (!training || training.epochs.length === 0) return;
    const section = weft.section('training', 'How it learned',
      'Loss and share of right answers after each epoch, on the training images and on the ' +
      'test images.' + (training.steps.length > 0
        ? ' The faint line is the loss of single steps.' : ''));
    const stage = el('div', {class: 'stage training'});
    const key = legend();
    section.append(key, stage, table(training.epochs));
    weft.let_save(section, () => [key, stage]);
    weft.keep_drawn(stage, (width) => draw(stage, width));
  };
})(globalThis.weft);
