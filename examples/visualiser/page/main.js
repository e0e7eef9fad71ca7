'use strict';
// The page: what a person does becomes a request; once a frame, at most, the step is taken apart and drawn anew.

const presets = {
  'a usual chain': [['penalties', { repeat: 1.1 }], ['top_k', { k: 40 }], ['top_p', { p: 0.95 }], ['min_p', { p: 0.05 }],
                    ['temperature', { t: 0.8 }], ['dist', { seed: 42 }]],
  "llama.cpp's default": [['penalties', {}], ['dry', {}], ['top_n_sigma', { n: -1 }], ['top_k', { k: 40 }], ['typical', { p: 1 }],
                          ['top_p', { p: 0.95 }], ['min_p', { p: 0.05 }], ['xtc', { probability: 0 }], ['temperature', { t: 0.8 }],
                          ['dist', { seed: 42 }]],
  'min-p, hot': [['min_p', { p: 0.1 }], ['temperature', { t: 1.5 }], ['dist', { seed: 42 }]],
  'top-n-sigma, hotter': [['top_n_sigma', { n: 1 }], ['temperature', { t: 2 }], ['dist', { seed: 42 }]],
  'without the likeliest': [['min_p', { p: 0.02 }], ['xtc', { probability: 0.5, threshold: 0.1 }], ['dist', { seed: 42 }]],
  'steady surprise': [['temperature', { t: 1 }], ['mirostat_v2', { tau: 4 }]],
  'a grammar': [['constrain', { grammar: 'root ::= "The " animal " " verb "." \nanimal ::= "cat" | "crow" | "goose"\nverb ::= "slept" | "laughed" | "said " [a-z ]{3,12}' }],
                ['temperature', { t: 0.8 }], ['dist', { seed: 42 }]],
  greedy: [['greedy', {}]],
};

let engine, chain_view, step_view;
let shown = 40, has_new_settings = false;
const at = (id) => document.getElementById(id);
const shown_token = (token) => step_view.token_text(token);

// ---- saying ---------------------------------------------------------------------------------------------------------

function complain(sentence) { at('problem').textContent = sentence ?? ''; }
/** Sentences are thrown for people to read; all else is an error that nobody foresaw. */
const sentence_of = (thrown) => (typeof thrown === 'string' ? thrown : `This went wrong: ${thrown?.message ?? thrown}`);

const speak = (sentence) => { at('spoken').textContent = sentence; };
let pause;
/** After a pause: what changes many times a second would keep a screen reader talking. */
function speak_soon(sentence) {
  clearTimeout(pause);
  pause = setTimeout(() => speak(sentence), 1000);
}

// ---- asking ---------------------------------------------------------------------------------------------------------

// Sliders move faster than frames are drawn: of the values that one had between two frames, the last counts.
const waiting = new Map();
function set_soon(request, then) {
  waiting.set(`${request.stage} ${request.parameter}`, { request, then });
  schedule();
}

/** Sets what waits, before anything else is asked: a stage has its number only until the list changes. */
function settle() {
  if (waiting.size === 0) return;
  const all = [...waiting.values()];
  waiting.clear();
  complain('');
  forget_draws();
  has_new_settings = true;
  for (const { request, then } of all) then(engine.ask(request));
}

/** Asks, and says what is wrong; null where that is all there is to say. */
function ask(request) {
  settle();
  const answer = engine.ask(request);
  complain(answer.problem);
  return answer.problem && Object.keys(answer).length === 1 ? null : answer;
}

/** A request that changes the chain. */
function change(request) {
  const answer = ask(request);
  forget_draws();
  has_new_settings = true;
  schedule();
  return answer;
}

// ---- showing --------------------------------------------------------------------------------------------------------

let is_scheduled = false;
function schedule() {
  if (is_scheduled) return;
  is_scheduled = true;
  requestAnimationFrame(() => {
    is_scheduled = false;
    update();
  });
}

const update_times = [];  // of the last updates, in milliseconds
function update() {
  const began = performance.now();
  settle();
  draw_step();
  if (has_new_settings) show_settings();
  update_times.push(performance.now() - began);
  if (update_times.length > 240) update_times.shift();
  at('timing').textContent = `This took ${update_times.at(-1).toFixed(1)} ms.`;
}

function draw_step() {
  const request = { do: 'step', top: shown };
  if (chain_view.looked_at >= 0) request.up_to = chain_view.looked_at;
  const step = engine.ask(request);
  if (step.problem) return show_no_step(step.problem);
  if (step.state) complain(step.state);
  chain_view.report(step.stages);
  step_view.show(step, chain_view.stages, draws);
  at('drawn-title').hidden = !draws;
  at('caption').textContent = caption_of(step);
  at('plan').textContent = step.plan;
  summarise(step.token < 0 ? 'no token' : `${shown_token(step.token)}, of ${grouped(step.kept)}`);
}

function show_no_step(why) {
  if (at('problem').textContent === '') complain(why);
  chain_view.report([]);
  step_view.clear();
  at('drawn-title').hidden = true;
  at('caption').textContent = at('plan').textContent = '';
  summarise('no token');
}

function caption_of({ curve, kept: left }) {
  if (curve.length === 0) return 'No token of this row is legal.';
  const behind = chain_view.stages[chain_view.looked_at]?.name;
  return `${grouped(curve.at(-1)[0])} tokens; ${behind ? `behind ${behind}` : `${grouped(left)} left to choose from`}.`;
}

function summarise(sentence) {
  const before = at('summary').textContent;
  at('summary').textContent = sentence;
  if (before !== '' && before !== sentence) speak_soon(`Next token: ${sentence}`);
}

// ---- the chain ------------------------------------------------------------------------------------------------------

function show_settings() {
  has_new_settings = false;
  const { text, left_out } = engine.ask({ do: 'write_settings' });
  if (document.activeElement !== at('settings')) at('settings').value = text;
  at('settings-note').replaceChildren(...left_out.map((sentence) => element('li', { textContent: sentence })));
  at('copied').textContent = '';
}

function use_chain(request) {
  const answer = change(request);
  if (answer) chain_view.show(answer.chain);
}
function use_preset(name) {
  use_chain({ do: 'chain', chain: presets[name].map(([stage, values]) => ({ name: stage, on: true, values })) });
}

async function copy_settings() {
  at('settings').select();
  let said = 'Copied.';
  try {
    await navigator.clipboard.writeText(at('settings').value);
  } catch {
    said = 'This browser does not let a page copy: the text is marked, copy it by key.';
  }
  at('copied').textContent = said;
  speak(said);
}

/** Where a new stage makes sense: a constraint first, penalties behind it, a selector in place of the one at the end. */
function add_stage(name) {
  const entry = chain_view.entries.get(name);
  const values = name === 'constrain' ? { grammar: 'root ::= [a-z ]+' } : {};
  const group_at = (i) => chain_view.entries.get(chain_view.stages[i]?.name)?.group;
  const end = chain_view.stages.length - (group_at(chain_view.stages.length - 1) === 'select' ? 1 : 0);
  const place = entry.group === 'constrain' ? 0 : entry.group === 'penalise' ? Number(group_at(0) === 'constrain') : end;
  const add = (stages) => stages.splice(place, entry.group === 'select' ? 1 : 0, { name, on: true, values });
  if (chain_view.rebuild(add, place)) speak(`${name} is stage ${place + 1}`);
}

function list_stages(catalogue) {
  const groups = new Map();
  for (const entry of catalogue) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  for (const [label, entries] of groups)
    at('catalogue').append(element('optgroup', { label }, ...entries.map(({ name, meaning }) =>
      element('option', { value: name, textContent: name, title: meaning }))));
}

function set_up_chain(catalogue) {
  list_stages(catalogue);
  for (const name of Object.keys(presets)) at('preset').append(element('option', { textContent: name }));
  at('preset').addEventListener('change', () => use_preset(at('preset').value));
  at('add').addEventListener('submit', (event) => {
    event.preventDefault();
    add_stage(at('catalogue').value);
  });
  at('apply-settings').addEventListener('click', () => use_chain({ do: 'read_settings', text: at('settings').value }));
  at('copy-settings').addEventListener('click', copy_settings);
}

// ---- beginning ------------------------------------------------------------------------------------------------------

function set_up_views(catalogue) {
  step_view = new StepView(at('curve'), at('tokens'));
  chain_view = new ChainView(at('stages'), catalogue, { change, set_soon, settle, speak, speak_soon });
  chain_view.hovered = step_view.hovered = (stage) => { chain_view.light(stage); step_view.light(stage); };
  chain_view.looked = schedule;
  at('more').addEventListener('click', () => {
    shown = Math.min(shown * 2, 1000);
    at('more').disabled = shown === 1000;
    schedule();
  });
}

async function begin() {
  engine = await Engine.load(at('module').textContent);
  if (location.hash === '#record') engine.transcript = [];
  const { stages, most_tokens } = engine.ask({ do: 'catalogue' });
  most_logits = most_tokens;
  set_up_views(stages);
  set_up_chain(stages);
  set_up_text();
  set_up_sources();
  at('prompt').value = 'One evening';
  use_preset(at('preset').value);
  learn(undefined, own_text);
  addEventListener('resize', schedule);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', schedule);
  document.documentElement.dataset.ready = 'yes';
}

addEventListener('error', (event) => complain(sentence_of(event.error ?? event.message)));
addEventListener('unhandledrejection', (event) => complain(sentence_of(event.reason)));
begin().catch((thrown) => complain(`This browser cannot run the page. ${sentence_of(thrown)}`));
