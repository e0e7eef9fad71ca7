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
let shown = 40, draws = null, last_text = { prompt: [], generated: [] }, rows_file = null, changed_settings = false;
const at = (id) => document.getElementById(id);
const shown_token = (token) => step_view.token_text(token);
const speak = (sentence) => { at('spoken').textContent = sentence; };

// ---- asking ---------------------------------------------------------------------------------------------------------

function complain(sentence) { at('problem').textContent = sentence ?? ''; }

/** Asks, and says what is wrong; null then. */
function ask(request) {
  const answer = engine.ask(request);
  complain(answer.problem);
  return answer.problem ? null : answer;
}

/** A request that changes the chain. */
function change(request) {
  draws = null;
  changed_settings = true;
  const answer = ask(request);
  schedule();
  return answer;
}

// Sliders move faster than frames are drawn: of the values that one had between two frames, the last counts.
const waiting = new Map();
function change_soon(request) {
  if (request.do !== 'set') return change(request);
  waiting.set(`${request.stage} ${request.parameter}`, request);
  schedule();
  return true;
}

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
  const requests = [...waiting.values()];
  waiting.clear();
  let answer = true;
  for (const request of requests) answer = change(request) && answer;
  draw_step(answer !== null);
  if (changed_settings) show_settings();
  update_times.push(performance.now() - began);
  if (update_times.length > 240) update_times.shift();
  at('timing').textContent = `This took ${update_times.at(-1).toFixed(1)} ms.`;
}

function draw_step(is_well) {
  const looked_at = chain_view.looked_at;
  const request = { do: 'step', top: shown };
  if (Number.isInteger(looked_at)) request.up_to = looked_at;
  const step = engine.ask(request);
  if (step.problem || step.state) complain(step.problem || (is_well ? step.state : at('problem').textContent));
  if (step.problem) return;
  chain_view.report(step.stages);
  step_view.show(step, chain_view.stages, draws);
  const total = step.curve.at(-1)[0];
  at('summary').textContent = step.token < 0 ? 'no token' : `${shown_token(step.token)}, of ${grouped(step.kept)}`;
  at('caption').textContent = `${grouped(total)} tokens; ` + (Number.isInteger(looked_at)
    ? `behind ${chain_view.stages[looked_at].name}` : `${grouped(step.kept)} left to choose from`) + '.';
  at('drawn-title').hidden = !draws;
  at('plan').textContent = step.plan;
}

// ---- the chain ------------------------------------------------------------------------------------------------------

function show_settings() {
  changed_settings = false;
  const { text, left_out } = engine.ask({ do: 'write_settings' });
  if (document.activeElement !== at('settings')) at('settings').value = text;
  at('settings-note').replaceChildren(...left_out.map((sentence) => element('li', { textContent: sentence })));
}

function use_stages(stages) {
  const answer = change({ do: 'chain', chain: stages });
  if (answer) chain_view.show(answer.chain);
}

function set_up_chain(catalogue) {
  for (const name of Object.keys(presets)) at('preset').append(element('option', { textContent: name }));
  at('preset').addEventListener('change', () => {
    use_stages(presets[at('preset').value].map(([name, values]) => ({ name, on: true, values })));
  });
  const groups = Map.groupBy ? Map.groupBy(catalogue, (entry) => entry.group)
    : catalogue.reduce((all, entry) => all.set(entry.group, [...(all.get(entry.group) ?? []), entry]), new Map());
  for (const [label, entries] of groups)
    at('catalogue').append(element('optgroup', { label }, ...entries.map(({ name, meaning }) =>
      element('option', { value: name, textContent: name, title: meaning }))));
  at('add').addEventListener('submit', (event) => {
    event.preventDefault();
    add_stage(at('catalogue').value);
  });
  at('apply-settings').addEventListener('click', () => {
    const answer = change({ do: 'read_settings', text: at('settings').value });
    if (answer) chain_view.show(answer.chain);
  });
  at('copy-settings').addEventListener('click', async () => {
    at('settings').select();
    await navigator.clipboard?.writeText(at('settings').value).catch(() => {});
    speak('Copied');
  });
}

/** Where a new stage makes sense: a constraint first, penalties behind it, a selector in place of the one at the end. */
function add_stage(name) {
  const entry = chain_view.entries.get(name);
  const values = name === 'constrain' ? { grammar: 'root ::= [a-z ]+' } : {};
  const group_at = (i) => chain_view.entries.get(chain_view.stages[i]?.name)?.group;
  const end = chain_view.stages.length - (group_at(chain_view.stages.length - 1) === 'select' ? 1 : 0);
  const place = entry.group === 'constrain' ? 0 : entry.group === 'penalise' ? Number(group_at(0) === 'constrain') : end;
  chain_view.rebuild((stages) => stages.splice(place, entry.group === 'select' ? 1 : 0, { name, on: true, values }), place);
  speak(`${name} is stage ${place + 1}`);
}

// ---- the text -------------------------------------------------------------------------------------------------------

function show_text(text) {
  last_text = text;
  const spans = [];
  const add = (className, token, characters) => spans.push(element('span', { className, title: `token ${token}`, textContent: characters }));
  for (const [token, characters] of text.prompt) add('given', token, characters || `#${token}`);
  text.generated.forEach(([token, characters], i) =>
    add(i + 1 === text.generated.length ? 'newest' : '', token, characters || ` #${token}`));
  at('so-far').replaceChildren(...spans);
  at('so-far').scrollTop = at('so-far').scrollHeight;
  at('back').disabled = text.generated.length === 0;
}

function go_on(count) {
  draws = null;
  const before = last_text.generated.length;
  const answer = engine.ask({ do: 'go_on', count });
  show_text(answer);
  complain(answer.problem ?? (answer.ended && answer.ended !== 'the text is complete' ? answer.ended : ''));
  const more = answer.generated.slice(before).map(([, characters]) => characters).join('');
  speak(answer.ended ? `${more}. ${answer.ended}` : more);
  schedule();
}

function set_up_text() {
  at('one').addEventListener('click', () => go_on(1));
  at('many').addEventListener('click', () => go_on(40));
  at('back').addEventListener('click', () => {
    const answer = ask({ do: 'go_back' });
    if (answer) show_text(answer);
    draws = null;
    schedule();
  });
  const begin = () => {
    const answer = ask({ do: 'begin', text: at('prompt').value });
    if (answer) show_text(answer);
    draws = null;
    schedule();
  };
  at('again').addEventListener('click', begin);
  at('prompt').addEventListener('input', begin);
  at('draws').addEventListener('click', () => {
    const answer = ask({ do: 'draw', count: 1000 });
    draws = answer && { count: answer.count, counts: new Map(answer.counts) };
    schedule();
  });
  at('more').addEventListener('click', () => {
    shown = Math.min(shown * 2, 1000);
    at('more').disabled = shown === 1000;
    schedule();
  });
}

// ---- where the logits come from -------------------------------------------------------------------------------------

/** `text` of the user's own, or the page's. */
function learn(text, name) {
  const answer = ask(text === undefined ? { do: 'learn' } : { do: 'learn', text });
  if (!answer) return;
  step_view.texts = answer.tokens;
  at('rows').hidden = true;
  at('beginning').hidden = false;
  at('source').textContent = `A small model, learnt from ${name}: ${grouped(answer.bytes)} bytes, ` +
    `${grouped(answer.tokens.length)} tokens.`;
  const begun = ask({ do: 'begin', text: at('prompt').value });
  if (begun) show_text(begun);
  draws = null;
  schedule();
}

function use_tokens(pieces) {
  const answer = ask({ do: 'tokens', pieces });
  if (!answer) return false;
  step_view.texts = answer.tokens;
  at('beginning').hidden = true;
  show_text({ prompt: [], generated: [] });
  return true;
}

/** Row number `row` of what was dropped. */
function use_row(row) {
  const request = rows_file.request_of_row(row);
  const answer = ask(request);
  if (!answer) return;
  if (answer.texts === 0) step_view.texts = [];
  at('beginning').hidden = true;
  draws = null;
  schedule();
}

function show_rows(count, source) {
  rows_file.count = count;
  at('rows').hidden = false;
  Object.assign(at('row-number'), { max: count, value: 1 });
  at('row-count').textContent = `of ${grouped(count)}`;
  at('source').textContent = source;
  show_text({ prompt: [], generated: [] });
  use_row(0);
}

function use_logits() {
  const size = at('row-size').valueAsNumber;
  const { type, rows } = shape_of_rows(rows_file.bytes.length, size, at('row-type').value);
  const bytes = size * (type === 'float32' ? 4 : 2);
  rows_file.request_of_row = (row) =>
    ({ do: 'row', type, data: base64_of(rows_file.bytes.subarray(row * bytes, (row + 1) * bytes)) });
  show_rows(rows, `${rows_file.name}: ${grouped(rows)} rows of ${grouped(size)} ${type} logits.`);
}

async function open_file(file) {
  try {
    const read = await read_file(file);
    complain('');
    if (read.kind === 'text') return learn(read.text, file.name);
    if (read.kind === 'tokens') {
      if (!use_tokens(read.pieces)) return;
      at('row-size').value = read.pieces.length;
      at('rows').hidden = false;
      at('source').textContent = `${file.name}: the texts of ${grouped(read.pieces.length)} tokens.`;
      if (rows_file?.bytes) use_logits();
      else complain('Now drop a file with rows of logits.');
    }
    if (read.kind === 'answer') {
      rows_file = { name: file.name, request_of_row: (row) => ({ do: 'sparse_row', logprobs: read.places[row] }) };
      if (use_tokens(read.pieces)) show_rows(read.places.length, `${file.name}: ${grouped(read.places.length)} places.`);
    }
    if (read.kind === 'rows') {
      rows_file = { name: file.name, bytes: read.bytes };
      at('rows').hidden = false;
      use_logits();
    }
  } catch (problem) {
    if (typeof problem !== 'string') throw problem;
    complain(problem);
  }
}

function set_up_files() {
  at('file').addEventListener('change', () => { if (at('file').files[0]) open_file(at('file').files[0]); at('file').value = ''; });
  at('tales').addEventListener('click', () => learn(undefined, 'tales about one valley'));
  const has_file = (event) => event.dataTransfer?.types.includes('Files');
  let depth = 0;  // of elements that the pointer is in
  addEventListener('dragenter', (event) => { if (has_file(event)) { ++depth; at('drop').hidden = false; } });
  addEventListener('dragleave', (event) => { if (has_file(event) && --depth === 0) at('drop').hidden = true; });
  addEventListener('dragover', (event) => { if (has_file(event)) event.preventDefault(); });
  addEventListener('drop', (event) => {
    if (!has_file(event)) return;
    event.preventDefault();
    depth = 0;
    at('drop').hidden = true;
    open_file(event.dataTransfer.files[0]);
  });
  const look_again = () => {
    if (!rows_file?.bytes) return;
    try {
      use_logits();
    } catch (problem) {
      if (typeof problem !== 'string') throw problem;
      complain(problem);
    }
  };
  at('row-size').addEventListener('input', look_again);
  at('row-type').addEventListener('change', look_again);
  at('row-number').addEventListener('input', () => {
    const row = at('row-number').valueAsNumber;
    if (rows_file && row >= 1 && row <= rows_file.count) use_row(row - 1);
  });
}

// ---- beginning ------------------------------------------------------------------------------------------------------

async function begin() {
  engine = await Engine.load(at('module').textContent);
  if (location.hash === '#record') engine.transcript = [];
  const { stages } = engine.ask({ do: 'catalogue' });
  step_view = new StepView(at('curve'), at('tokens'));
  chain_view = new ChainView(at('stages'), stages, change_soon, speak);
  chain_view.hovered = step_view.hovered = (stage) => { chain_view.light(stage); step_view.light(stage); };
  chain_view.looked = schedule;
  at('prompt').value = 'One evening';
  set_up_chain(stages);
  set_up_text();
  set_up_files();
  use_stages(Object.values(presets)[0].map(([name, values]) => ({ name, on: true, values })));
  learn(undefined, 'tales about one valley');
  addEventListener('resize', schedule);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', schedule);
  document.documentElement.dataset.ready = 'yes';
}

begin().catch((error) => { complain(`This browser cannot run the page: ${error.message}`); });
