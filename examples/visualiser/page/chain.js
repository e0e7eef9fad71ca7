'use strict';
// The stages of the chain, as cards that can be moved, switched and set.

const stage_colours = 8;
const colour_of = (stage) => `var(--stage-${stage % stage_colours})`;

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** A slider whose positions are spaced by ratio has 1000 of them, from `least` to `greatest`. */
const positions = 1000;
function value_at(parameter, position) {
  if (parameter.step > 0) return position;
  return Math.round(parameter.least - 1 + (parameter.greatest - parameter.least + 1) ** (position / positions));
}
function position_of(parameter, value) {
  if (parameter.step > 0) return value;
  const share = Math.log(Math.max(value - parameter.least + 1, 1)) / Math.log(parameter.greatest - parameter.least + 1);
  return Math.min(share, 1) * positions;
}

class ChainView {
  /** `changed(request)` is told what a person did: it answers whether that was possible. */
  constructor(list, catalogue, changed, speak) {
    this.list = list;
    this.entries = new Map(catalogue.map((entry) => [entry.name, entry]));
    this.changed = changed;
    this.speak = speak;
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
    [...this.list.children].forEach((card, i) => {
      const report = of.get(i);
      const count = card.querySelector('.count'), mass = card.querySelector('.mass'), more = card.querySelector('.fell');
      count.textContent = report ? `${grouped(report.before)} → ${grouped(report.after)}` : '';
      mass.firstChild.style.transform = `scaleX(${report ? report.mass_removed : 0})`;
      mass.title = report ? `${percent(report.mass_removed)} of the probability fell here` : '';
      const fell = report?.fallen.length ? report.fallen.map(([token]) => shown_token(token)).join(' ') : '';
      const next = report?.next ? `next byte: ${report.next}` : '';
      more.textContent = fell ? `${percent(report.mass_removed)} fell here: ${fell}` : next;
      more.hidden = more.textContent === '';
    });
  }

  light(stage) {
    [...this.list.children].forEach((card, i) => card.classList.toggle('lit', i === stage));
  }

  card(stage, i) {
    const entry = this.entries.get(stage.name);
    const name = element('b', { textContent: stage.name, id: `stage-${i}` });
    const grip = element('button', { type: 'button', className: 'grip', textContent: '⠿', draggable: true,
                                     'aria-label': `Move ${stage.name}: up and down arrows`, title: 'Drag, or use the arrow keys' });
    grip.addEventListener('keydown', (event) => this.move_by_key(event, i));
    const on = element('input', { type: 'checkbox', checked: stage.on, 'aria-label': `${stage.name} is on` });
    on.addEventListener('change', () => this.rebuild((stages) => { stages[i].on = on.checked; }, i));
    const remove = element('button', { type: 'button', textContent: '×', 'aria-label': `Remove ${stage.name}` });
    remove.addEventListener('click', () => this.rebuild((stages) => stages.splice(i, 1), Math.max(i - 1, 0)));
    const look = element('button', { type: 'button', textContent: '◎', className: 'look', 'aria-pressed': 'false',
                                     'aria-label': `Show the distribution behind ${stage.name}`, title: 'Show the distribution behind this stage' });
    look.addEventListener('click', () => this.look(i));
    const head = element('div', { className: 'stage-head' }, grip, on, name, element('span', { className: 'count' }),
                         ...(entry.group === 'select' ? [] : [look]), remove);
    const card = element('li', { className: `stage${stage.on ? '' : ' off'}`, 'aria-labelledby': `stage-${i}` }, head,
      element('p', { className: 'note', textContent: entry.meaning }),
      element('div', { className: 'mass' }, element('i')),
      ...this.parameters(stage, i, entry.parameters),
      element('p', { className: 'note fell', hidden: true }));
    card.style.setProperty('--colour', colour_of(i));
    card.addEventListener('pointerenter', () => this.hovered?.(i));
    card.addEventListener('pointerleave', () => this.hovered?.(null));
    grip.addEventListener('dragstart', (event) => this.begin_drag(event, card, i));
    return card;
  }

  /** The chief ones; and folded away, unless they are set, what few people need. */
  parameters(stage, i, all) {
    const is_rare = ({ name, control }) => name === 'min_keep' || (control === 'list' && all.length > 1);
    const shown = (of) => of.map((parameter) => this.parameter(stage, i, parameter));
    const rare = all.filter(is_rare);
    if (rare.length === 0) return shown(all);
    const is_set = rare.some(({ name, default: usual }) => (stage.values[name] ?? usual) !== usual);
    const more = element('details', { className: 'rare', open: is_set },
      element('summary', { textContent: rare.map(({ name }) => name).join(', ') }), ...shown(rare));
    return [...shown(all.filter((each) => !is_rare(each))), more];
  }

  parameter(stage, i, parameter) {
    const value = stage.values[parameter.name] ?? parameter.default;
    const id = `stage-${i}-${parameter.name}`;
    const label = element('label', { htmlFor: id, textContent: parameter.name, title: parameter.meaning });
    const set = (to) => {
      stage.values[parameter.name] = to;
      this.changed({ do: 'set', stage: i, parameter: parameter.name, value: to });
    };
    const long = parameter.control === 'list' || parameter.control === 'grammar';
    const row = element('div', { className: `parameter${long ? ' long' : ''}` }, label);
    if (parameter.control === 'switch') {
      const box = element('input', { id, type: 'checkbox', checked: value });
      box.addEventListener('change', () => set(box.checked));
      row.append(box);
    } else if (long) {
      const field = parameter.control === 'grammar' ? element('textarea', { id, rows: 4, spellcheck: false, value })
        : element('input', { id, type: 'text', spellcheck: false, value, placeholder: parameter.meaning });
      field.addEventListener('input', () => set(field.value));
      row.append(field);
    } else {
      row.append(...this.numbers(id, parameter, value, set));
    }
    return row;
  }

  /** A slider over the usual values and a field for all others. */
  numbers(id, parameter, value, set) {
    const field = element('input', { type: 'number', step: 'any', value });
    const read = () => { if (field.value !== '' && Number.isFinite(field.valueAsNumber)) set(field.valueAsNumber); };
    if (parameter.control === 'seed') {
      field.id = id;
      Object.assign(field, { min: 0, step: 1 });
      const dice = element('button', { type: 'button', textContent: 'New seed' });
      dice.addEventListener('click', () => { field.value = Math.floor(Math.random() * 2 ** 32); read(); });
      field.addEventListener('input', read);
      return [field, dice];
    }
    const by_ratio = !(parameter.step > 0);
    const slider = element('input', { id, type: 'range', min: by_ratio ? 0 : parameter.least,
      max: by_ratio ? positions : parameter.greatest, step: by_ratio ? 1 : parameter.step,
      title: `${parameter.meaning} (${parameter.least} to ${parameter.greatest})` });
    const place = (to) => {
      slider.value = position_of(parameter, to);
      slider.setAttribute('aria-valuetext', String(to));
    };
    place(value);
    field.setAttribute('aria-label', `${parameter.name}, any value`);
    slider.addEventListener('input', () => {
      const to = value_at(parameter, slider.valueAsNumber);
      field.value = to;
      slider.setAttribute('aria-valuetext', String(to));
      set(to);
    });
    field.addEventListener('input', () => { place(field.valueAsNumber); read(); });
    return [slider, field];
  }

  /** Changes the list, and shows it if the chain can be made so. The focus stays with stage `then`. */
  rebuild(change, then) {
    const stages = structuredClone(this.stages);
    change(stages);
    const focused = document.activeElement?.className;
    if (!this.changed({ do: 'chain', chain: stages })) return this.show(this.stages);
    this.show(stages);
    const card = this.list.children[then];
    (focused && card?.querySelector(`.${focused}`) || card?.querySelector('input'))?.focus({ preventScroll: true });
  }

  move(from, to) {
    if (to < 0 || to >= this.stages.length || from === to) return;
    const { name } = this.stages[from];
    this.rebuild((stages) => stages.splice(to, 0, ...stages.splice(from, 1)), to);
    this.speak(`${name} is stage ${to + 1} of ${this.stages.length}`);
  }
  move_by_key(event, i) {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    this.move(i, event.key === 'ArrowUp' ? i - 1 : i + 1);
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

  look(i) {
    this.looked_at = this.looked_at === i ? null : i;
    [...this.list.children].forEach((card, at) =>
      card.querySelector('.look')?.setAttribute('aria-pressed', String(at === this.looked_at)));
    this.looked?.(this.looked_at);
  }
}
