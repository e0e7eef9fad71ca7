'use strict';
// One step, drawn: the curve of all ranks, and the likeliest tokens with what became of them.

const kept = -1;  // step_report.hpp

const grouped = (number) => number.toLocaleString('en');
const counted = (number, things) => `${grouped(number)} ${things}${number === 1 ? '' : 's'}`;
function percent(share) {
  const value = share * 100;
  return `${value >= 99.95 || value === 0 ? value.toFixed(0) : value >= 0.1 ? value.toFixed(1) : value.toPrecision(1)} %`;
}

class StepView {
  constructor(canvas, body) {
    this.canvas = canvas;
    this.body = body;
    this.texts = [];
    this.stages = [];
    this.rows = [];
  }

  /** Blanks and control characters are shown as signs for them, so that every token can be seen. */
  token_text(token) {
    const text = this.texts[token];
    if (text === undefined || text === '') return `#${token}`;
    return text.replaceAll(' ', '␣').replaceAll('\n', '⏎').replaceAll('\t', '⇥')
      .replace(/[\x00-\x1f\x7f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
  }
  fate_text(fate) {
    return fate === kept ? '' : `fell to ${this.stages[fate]?.name ?? 'the chain'}`;
  }

  show(step, stages, draws) {
    this.step = step;
    this.stages = stages;
    this.draw_curve();
    this.draw_tokens(draws);
  }

  /** Where there is no step to show. */
  clear() {
    this.show({ token: -1, top: [], curve: [] }, [], null);
  }

  draw_tokens(draws) {
    const { top, token } = this.step;
    const share = (id) => (draws ? (draws.counts.get(id) ?? 0) / draws.count : 0);
    const greatest = Math.max(1e-9, ...top.map(([id, before, after]) => Math.max(before, after, share(id))));
    while (this.rows.length < top.length) this.rows.push(this.new_row());
    if (this.body.children.length !== top.length)
      this.body.replaceChildren(...this.rows.slice(0, top.length).map((row) => row.line));
    top.forEach(([id, before, after, fate], i) => {
      const { line, name, row, chain, drawn, cells } = this.rows[i];
      line.className = `${fate === kept ? '' : 'fallen'}${id === token ? ' chosen' : ''}`;
      line.fate = fate;
      line.title = fate === kept ? `token ${id}` : `token ${id} ${this.fate_text(fate)}`;
      line.style.setProperty('--colour', fate === kept ? 'var(--faint)' : colour_of(fate));
      name.textContent = `${id === token ? '▸' : ' '}${this.token_text(id)}`;
      row.style.transform = `scaleX(${before / greatest})`;
      chain.style.transform = `scaleX(${after / greatest})`;
      drawn.hidden = !draws || share(id) === 0;
      drawn.style.width = `${100 * share(id) / greatest}%`;
      cells[0].textContent = percent(before);
      cells[1].textContent = after > 0 ? percent(after) : '–';
      cells[2].hidden = !draws;
      cells[2].textContent = draws ? grouped(draws.counts.get(id) ?? 0) : '';
      cells[3].textContent = id === token ? `chosen${fate === kept ? '' : `, ${this.fate_text(fate)}`}` : this.fate_text(fate);
    });
  }

  new_row() {
    const name = element('th', { scope: 'row' });
    const [row, chain, drawn] = ['row', 'chain', 'drawn'].map((className) => element('i', { className }));
    const cells = [0, 1, 2].map(() => element('td'));
    cells.push(element('td', { className: 'fate' }));
    const line = element('tr', {}, name, element('td', { className: 'bars', 'aria-hidden': 'true' }, row, chain, drawn), ...cells);
    line.addEventListener('pointerenter', () => this.hovered?.(line.fate === kept ? null : line.fate));
    line.addEventListener('pointerleave', () => this.hovered?.(null));
    return { line, name, row, chain, drawn, cells };
  }

  light(stage) {
    for (const { line } of this.rows) line.classList.toggle('lit', stage !== null && line.fate === stage);
  }

  // ---- the curve: log-probability over rank, both by ratio; a column for a rank, in the colour of its fate

  draw_curve() {
    const { canvas, step: { curve } } = this;
    canvas.setAttribute('aria-label', this.curve_in_words());
    const scale = window.devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
    if (width === 0) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const pen = canvas.getContext('2d');
    pen.clearRect(0, 0, width, height);
    if (curve.length === 0) return;
    const last = Math.log(curve.at(-1)[0] + 1);
    const left_of = (rank) => width * Math.log(rank) / last;
    this.draw_columns(pen, left_of, height, scale);
    this.draw_ranks(pen, left_of, width, scale);
  }

  draw_columns(pen, left_of, height, scale) {
    const { canvas, step: { curve } } = this;
    const style = getComputedStyle(canvas);
    const colours = new Map([[kept, style.getPropertyValue('--chain')]]);
    const lowest = -20.8;  // nats under certainty: below it a token weighs nothing in riffle's masses
    curve.forEach(([rank, logprob, fate], i) => {
      const left = left_of(rank), right = left_of(i + 1 < curve.length ? curve[i + 1][0] : rank + 1);
      const tall = Math.max(height * (1 - Math.max(logprob, lowest) / lowest), 2 * scale);
      if (!colours.has(fate)) colours.set(fate, style.getPropertyValue(`--stage-${fate % stage_colours}`));
      pen.fillStyle = colours.get(fate);
      pen.fillRect(left, height - tall, Math.max(right - left - (right - left > 3 * scale ? scale : 0), 1), tall);
    });
  }

  draw_ranks(pen, left_of, width, scale) {
    pen.fillStyle = getComputedStyle(this.canvas).color;
    pen.font = `${11 * scale}px system-ui, sans-serif`;
    pen.textBaseline = 'top';
    for (let rank = 1; rank <= this.step.curve.at(-1)[0]; rank *= 10) {
      const left = left_of(rank);
      if (left < width - 60 * scale) pen.fillText(rank === 1 ? 'rank 1' : grouped(rank), left + 2 * scale, 0);
    }
  }

  curve_in_words() {
    const { curve } = this.step;
    if (curve.length === 0) return 'No token is legal.';
    const removed = this.stages.map((stage, i) => [stage.name, curve.find(([, , fate]) => fate === i)])
      .filter(([, first]) => first).map(([name, [rank]]) => `${name} removed from rank ${grouped(rank)}.`);
    return [`Log-probability of ${grouped(curve.at(-1)[0])} tokens by rank.`, ...removed].join(' ');
  }
}
