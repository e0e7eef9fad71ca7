'use strict';
// The stages of the chain, as cards that can be moved, switched and set.

const stage_colours = 12;
const colour_of = (stage) => `var(--stage-${stage % stage_colours})`;

/** What the engine is told of a stage; the page keeps more: drafts (controls.js), and which stage is looked behind. */
const asked_stage = ({ name, on, values }) => ({ name, on, values });

class ChainView {
  /** `page` has what the page can do: change(request), which answers null where that was refused,
      set_soon(request, then), settle(), speak(sentence), speak_soon(sentence). */
  constructor(list, catalogue, page) {
    this.list = list;
    this.entries = new Map(catalogue.map((entry) => [entry.name, entry]));
    this.page = page;
    this.stages = [];
    list.addEventListener('dragover', (event) => this.drag_over(event));
    list.addEventListener('drop', (event) => this.drop(event));
    list.addEventListener('dragend', () => this.end_drag());
  }

  show(stages) {
    this.stages = stages;
    this.list.replaceChildren(...stages.map((stage, i) => this.card(stage, i)));
  }

  /** What the last step says of each stage. */
  report(reports) {
    const of = new Map(reports.map((each) => [each.stage, each]));
    [...this.list.children].forEach((card, i) => this.report_on(card, of.get(i)));
  }
  report_on(card, report) {
    const share = report?.mass_removed ?? 0;
    card.querySelector('.count').textContent = report ? `${grouped(report.before)} → ${grouped(report.after)}` : '';
    const mass = card.querySelector('.mass');
    mass.firstChild.style.transform = `scaleX(${share})`;
    mass.title = report ? `${percent(share)} of the probability fell here` : '';
    const more = card.querySelector('.fell');
    const fell = (report?.fallen ?? []).map(([token]) => shown_token(token)).join(' ');
    more.textContent = fell ? `${percent(share)} fell here: ${fell}` : report?.next ? `next byte: ${report.next}` : '';
    more.hidden = more.textContent === '';
  }

  light(stage) {
    [...this.list.children].forEach((card, i) => card.classList.toggle('lit', i === stage));
  }

  // ---- cards

  card(stage, i) {
    const entry = this.entries.get(stage.name);
    const card = element('li', { className: `stage${stage.on ? '' : ' off'}`, 'aria-labelledby': `stage-${i}` },
      this.head(stage, i, entry),
      element('p', { className: 'note', textContent: entry.meaning }),
      element('div', { className: 'mass' }, element('i')),
      ...this.parameters(stage, i, entry.parameters),
      element('p', { className: 'note fell', hidden: true }));
    card.style.setProperty('--colour', colour_of(i));
    card.addEventListener('pointerenter', () => this.hovered?.(i));
    card.addEventListener('pointerleave', () => this.hovered?.(null));
    return card;
  }

  head(stage, i, entry) {
    const { name } = stage;
    const tools = element('span', { className: 'tools' },
      ...(entry.group === 'select' ? [] : [this.look_button(stage, i)]),
      this.move_button(i, -1, 'up', '↑', `Move ${name} up`),
      this.move_button(i, 1, 'down', '↓', `Move ${name} down`),
      this.button('remove', '×', `Remove ${name}`, () => this.remove(i)));
    return element('div', { className: 'stage-head' }, this.grip(name, i), this.switch_of(stage, i),
      element('b', { textContent: name, id: `stage-${i}` }), element('span', { className: 'count' }), tools);
  }

  button(className, sign, label, clicked) {
    const made = element('button', { type: 'button', className, textContent: sign, title: label, 'aria-label': label });
    made.addEventListener('click', clicked);
    return made;
  }

  /** No button: Firefox drags none. */
  grip(name, i) {
    const grip = element('span', { className: 'grip', textContent: '⠿', draggable: true, tabIndex: 0, role: 'button',
                                   title: 'Drag, or use the arrow keys',
                                   'aria-label': `Move ${name}: up and down arrows` });
    grip.addEventListener('keydown', (event) => this.move_by_key(event, i));
    grip.addEventListener('dragstart', (event) => this.begin_drag(event, grip.closest('li'), i));
    return grip;
  }

  switch_of(stage, i) {
    const on = element('input', { type: 'checkbox', className: 'on', checked: stage.on,
                                  'aria-label': `${stage.name} is on` });
    on.addEventListener('change', () => this.rebuild((stages) => { stages[i].on = on.checked; }, i));
    return on;
  }

  look_button(stage, i) {
    const look = this.button('look', '◎', `Show the distribution behind ${stage.name}`, () => this.look(i));
    look.setAttribute('aria-pressed', String(Boolean(stage.is_looked_at)));
    return look;
  }

  move_button(i, by, className, sign, label) {
    const button = this.button(className, sign, label, () => this.move(i, i + by));
    button.setAttribute('aria-disabled', String(i + by < 0 || i + by >= this.stages.length));
    return button;
  }

  /** The chief ones; and folded away, unless they are set, what few people need. */
  parameters(stage, i, all) {
    const is_rare = ({ name, control }) => name === 'min_keep' || (control === 'list' && all.length > 1);
    const shown = (of) => of.map((parameter) => this.parameter(stage, i, parameter));
    const rare = all.filter(is_rare);
    if (rare.length === 0) return shown(all);
    const is_set = rare.some(({ name, default: usual }) =>
      (stage.values[name] ?? usual) !== usual || stage.drafts?.[name]);
    const more = element('details', { className: 'rare', open: is_set },
      element('summary', { textContent: rare.map(({ name }) => name).join(', ') }), ...shown(rare));
    return [...shown(all.filter((each) => !is_rare(each))), more];
  }

  parameter(stage, i, parameter) {
    const page = { ...this.page, set_soon: (name, value, then) =>
      this.page.set_soon({ do: 'set', stage: i, parameter: name, value }, then) };
    return new ParameterControl(`stage-${i}-${parameter.name}`, parameter, stage, page).row;
  }

  // ---- changes of the list

  /** Changes the list, and answers whether the chain can be made so. Then the focus goes to stage `then`; otherwise it
      stays where it was. */
  rebuild(change, then) {
    this.page.settle();
    const stages = structuredClone(this.stages);
    change(stages);
    const focused = document.activeElement, from = [...this.list.children].findIndex((card) => card.contains(focused));
    const answer = this.page.change({ do: 'chain', chain: stages.map(asked_stage) });
    this.show(answer ? answer.chain.map((stage, i) => ({ ...stages[i], ...stage })) : this.stages);
    if (answer || from >= 0) this.focus(answer ? then : from, focused.className);
    return answer !== null;
  }
  focus(i, part) {
    const card = this.list.children[i];
    const wanted = (part && card?.querySelector(`.${CSS.escape(part)}`)) || card?.querySelector('input');
    (wanted ?? document.querySelector('#catalogue')).focus({ preventScroll: true });
  }

  move(from, to) {
    if (to < 0 || to >= this.stages.length || from === to) return;
    const { name } = this.stages[from];
    if (this.rebuild((stages) => stages.splice(to, 0, ...stages.splice(from, 1)), to))
      this.page.speak(`${name} is stage ${to + 1} of ${this.stages.length}`);
  }
  move_by_key(event, i) {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    this.move(i, event.key === 'ArrowUp' ? i - 1 : i + 1);
  }
  remove(i) {
    const { name } = this.stages[i];
    if (this.rebuild((stages) => stages.splice(i, 1), Math.max(i - 1, 0))) this.page.speak(`${name} is removed`);
  }

  // ---- looking behind a stage

  get looked_at() { return this.stages.findIndex((stage) => stage.is_looked_at); }

  look(i) {
    this.stages.forEach((stage, at) => { stage.is_looked_at = at === i && !stage.is_looked_at; });
    [...this.list.children].forEach((card, at) =>
      card.querySelector('.look')?.setAttribute('aria-pressed', String(this.stages[at].is_looked_at)));
    this.looked?.();
  }

  // ---- dragging

  begin_drag(event, card, i) {
    this.dragged = i;
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', this.stages[i].name);
    event.dataTransfer.setDragImage(card, 20, 16);
    card.classList.add('dragged');
  }
  target_of(event) {
    const cards = [...this.list.children];
    const below = cards.findIndex((card) => {
      const box = card.getBoundingClientRect();
      return event.clientY < box.top + box.height / 2;
    });
    return below < 0 ? cards.length : below;
  }
  drag_over(event) {
    if (this.dragged === undefined) return;
    event.preventDefault();
    const to = this.target_of(event);
    [...this.list.children].forEach((card, i, all) => {
      card.classList.toggle('drop-before', i === to);
      card.classList.toggle('drop-after', to === all.length && i === to - 1);
    });
  }
  drop(event) {
    if (this.dragged === undefined) return;
    event.preventDefault();
    const from = this.dragged, to = this.target_of(event);
    this.end_drag();
    this.move(from, to > from ? to - 1 : to);
  }
  end_drag() {
    this.dragged = undefined;
    for (const card of this.list.children) card.classList.remove('dragged', 'drop-before', 'drop-after');
  }
}
