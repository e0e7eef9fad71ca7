'use strict';
// One parameter of a stage: what a person sets it with, and what the engine makes of that.

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// ---- numbers --------------------------------------------------------------------------------------------------------

/** A slider whose positions are spaced by ratio has 1000 of them, from `least` to `greatest`. */
const positions = 1000;
const is_by_ratio = (parameter) => !(parameter.step > 0);
function value_at(parameter, position) {
  if (!is_by_ratio(parameter)) return position;
  return Math.round(parameter.least - 1 + (parameter.greatest - parameter.least + 1) ** (position / positions));
}
function position_of(parameter, value) {
  const { least, greatest } = parameter;
  const within = Math.min(Math.max(value, least), greatest);
  if (!is_by_ratio(parameter)) return within;
  return Math.log(within - least + 1) / Math.log(greatest - least + 1) * positions;
}
/** The nearest position on one side, `by` 1 or -1, that stands for another value. */
function next_position(parameter, position, by) {
  const value = value_at(parameter, position);
  while (position + by >= 0 && position + by <= positions) {
    position += by;
    if (value_at(parameter, position) !== value) break;
  }
  return position;
}

const expected_number = 'expected a number, or inf';
/** As the engine takes and writes numbers: infinity is a text. Undefined where a field says no number. */
function number_in(text) {
  const said = text.trim().toLowerCase();
  const infinite = /^([+-]?)inf(inity)?$/.exec(said);
  if (infinite) return infinite[1] === '-' ? '-inf' : 'inf';
  return said !== '' && Number.isFinite(Number(said)) ? Number(said) : undefined;
}
const number_of = (value) => (value === 'inf' ? Infinity : value === '-inf' ? -Infinity : value);

/** A seed has 64 bits, of which a number here holds 53: a greater one is a text. */
const greatest_seed = 2n ** 64n - 1n;
const expected_seed = `a seed is a whole number from 0 to ${greatest_seed}`;
function seed_in(text) {
  if (!/^\s*\d+\s*$/.test(text)) return undefined;
  const seed = BigInt(text);
  if (seed > greatest_seed) return undefined;
  return seed <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(seed) : String(seed);
}

// ---- the control ----------------------------------------------------------------------------------------------------

class ParameterControl {
  /** Values and drafts, which are texts that the engine refused, are kept in `stage`. `page` has what the page can do:
      set_soon(parameter, value, then), settle(), speak_soon(sentence). */
  constructor(id, parameter, stage, page) {
    Object.assign(this, { id, parameter, stage, page });
    this.name = parameter.name;
    const label = element('label', { htmlFor: id, textContent: this.name, title: parameter.meaning });
    this.problem = element('p', { id: `${id}-problem`, className: 'wrong', hidden: true });
    const className = this.is_long ? 'parameter long' : 'parameter';
    this.row = element('div', { className }, label, ...this.inputs(), this.problem);
    const draft = stage.drafts?.[this.name];
    if (draft) this.show_draft(draft);
  }

  get is_long() { return this.parameter.control === 'list' || this.parameter.control === 'grammar'; }
  get value() { return this.stage.values[this.name] ?? this.parameter.default; }

  inputs() {
    const { control } = this.parameter;
    if (control === 'switch') return [this.make_switch()];
    if (this.is_long) return [this.make_text()];
    if (control === 'seed') return [this.make_number(seed_in, expected_seed, this.id), this.make_dice()];
    return [this.make_slider(), this.make_number(number_in, expected_number)];
  }

  make_switch() {
    this.field = element('input', { id: this.id, type: 'checkbox', checked: this.value });
    this.field.addEventListener('change', () => this.ask_for(this.field.checked));
    return this.field;
  }

  make_text() {
    const { id, value, parameter } = this;
    this.field = parameter.control === 'grammar' ? element('textarea', { id, rows: 4, spellcheck: false, value })
      : element('input', { id, type: 'text', spellcheck: false, value, placeholder: parameter.meaning });
    this.field.addEventListener('input', () => this.ask_for(this.field.value));
    return this.field;
  }

  /** A field for every value; `read` answers undefined where it says none. */
  make_number(read, expected, id = '') {
    this.field = element('input', { type: 'text', inputMode: 'decimal', autocomplete: 'off', className: 'number' });
    this.field.value = String(this.value);
    if (id) this.field.id = id;
    else this.field.setAttribute('aria-label', `${this.name}, any value`);
    this.field.addEventListener('input', () => {
      const value = read(this.field.value);
      if (value !== undefined) this.ask_for(value);
      else if (this.field.value.trim() !== '') this.refuse_at_once(expected);
    });
    this.field.addEventListener('change', () => this.leave_number());
    return this.field;
  }
  /** Whoever leaves the field sees which value the engine took; in one left empty that is the last. */
  leave_number() {
    this.page.settle();
    if (this.field.value.trim() === '') this.take(this.value);
    if (!this.stage.drafts?.[this.name]) this.field.value = String(this.value);
  }

  make_dice() {
    const dice = element('button', { type: 'button', textContent: 'New seed' });
    dice.addEventListener('click', () => this.ask_for(Math.floor(Math.random() * 2 ** 32)));
    return dice;
  }

  /** A slider over the usual values. */
  make_slider() {
    const { id, parameter } = this, { least, greatest, step, meaning } = parameter;
    const range = is_by_ratio(parameter) ? { min: 0, max: positions, step: 1 } : { min: least, max: greatest, step };
    this.slider = element('input', { id, type: 'range', ...range, title: `${meaning} (${least} to ${greatest})` });
    this.slider.addEventListener('input', () => this.ask_for(value_at(parameter, this.slider.valueAsNumber)));
    if (is_by_ratio(parameter)) this.slider.addEventListener('keydown', (event) => this.press(event));
    this.slide_to(this.value);
    return this.slider;
  }
  /** Where many positions stand for one value, a key goes on to the next value. */
  press(event) {
    const by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    this.slider.value = next_position(this.parameter, this.slider.valueAsNumber, by);
    this.ask_for(value_at(this.parameter, this.slider.valueAsNumber));
  }
  slide_to(value) {
    if (value_at(this.parameter, this.slider.valueAsNumber) !== value)
      this.slider.value = position_of(this.parameter, number_of(value));
    this.slider.setAttribute('aria-valuetext', String(value));
  }

  // ---- what became of it

  ask_for(value) {
    this.page.set_soon(this.name, value, (answer) => {
      if (answer.problem) this.refuse(answer.problem);
      else this.take(answer.value ?? value);
    });
  }

  take(value) {
    this.stage.values[this.name] = value;
    if (this.stage.drafts) delete this.stage.drafts[this.name];
    this.show_problem('');
    if (this.slider) this.slide_to(value);
    // not under the hands of somebody who types
    if (this.field.type !== 'checkbox' && document.activeElement !== this.field) this.field.value = String(value);
  }

  /** The last good value stays in effect; what was typed stays in the field, beside what is wrong with it. */
  refuse(problem) {
    const draft = { text: this.field.value, problem };
    this.stage.drafts = { ...this.stage.drafts, [this.name]: draft };
    this.show_draft(draft);
    this.page.speak_soon(problem);
  }
  refuse_at_once(problem) {
    this.page.settle();  // what was typed before this comes before it
    this.refuse(problem);
  }
  show_draft({ text, problem }) {
    if (this.field.value !== text) this.field.value = text;
    this.show_problem(problem);
  }
  show_problem(sentence) {
    this.problem.textContent = sentence;
    this.problem.hidden = sentence === '';
    this.field.setAttribute('aria-invalid', String(sentence !== ''));
    this.field.setAttribute('aria-describedby', sentence === '' ? '' : this.problem.id);
  }
}
