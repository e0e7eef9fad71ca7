'use strict';
// Where the logits come from: a small model of a text, or rows of the user's own.

const own_text = 'tales about one valley';
let rows_file = null;  // { name, bytes?, count?, request_of_row? }
let loads = 0;         // files that somebody began to load: of two at a time, the newer one counts

/** `text` of the user's own, or the page's. */
function learn(text, name, is_cut = false) {
  const answer = ask(text === undefined ? { do: 'learn' } : { do: 'learn', text });
  if (!answer) return;
  rows_file = null;
  step_view.texts = answer.tokens;
  at('rows').hidden = true;
  at('row-size').value = '';
  at('beginning').hidden = false;
  at('source').textContent = `A small model, learnt from ${name}: ${grouped(answer.bytes)} bytes, ` +
    `${grouped(answer.tokens.length)} tokens.${is_cut ? ' The file is longer: its end was left out.' : ''}`;
  begin_text();
}

// ---- the texts of tokens

function use_tokens(pieces) {
  const answer = ask({ do: 'tokens', pieces });
  if (!answer) return false;
  step_view.texts = answer.tokens;
  at('beginning').hidden = true;
  begin_text();
  return true;
}

function take_tokens({ name, pieces }) {
  if (!use_tokens(pieces)) return;
  if (!rows_file?.count) at('row-size').value = pieces.length;
  at('rows').hidden = false;
  at('source').textContent = `${name}: the texts of ${grouped(pieces.length)} tokens.`;
  if (rows_file?.bytes) use_logits();
  else complain('Now drop a file with rows of logits.');
}

// ---- rows

/** Row number `row`, counted from 0, of what was dropped; a new text may begin with it. */
function use_row(row, begin) {
  const answer = ask({ ...rows_file.request_of_row(row), begin });
  if (!answer) return;
  if (answer.texts === 0) step_view.texts = [];
  at('beginning').hidden = true;
  take_text(answer);
}

function show_rows(count, source) {
  rows_file.count = count;
  at('rows').hidden = false;
  Object.assign(at('row-number'), { max: count, value: 1 });
  at('row-count').textContent = `of ${grouped(count)}`;
  at('source').textContent = source;
  use_row(0, true);
}

/** Cuts the bytes that were dropped into rows, as the fields say. */
function use_logits() {
  const size = at('row-size').valueAsNumber;
  const { type, rows } = shape_of_rows(rows_file.bytes.length, size, at('row-type').value);
  const bytes = size * (type === 'float32' ? 4 : 2);
  rows_file.request_of_row = (row) =>
    ({ do: 'row', type, data: base64_of(rows_file.bytes.subarray(row * bytes, (row + 1) * bytes)) });
  show_rows(rows, `${rows_file.name}: ${counted(rows, 'row')} of ${grouped(size)} ${type} logits.`);
}

function use_row_number() {
  if (!rows_file?.count) return;
  const row = at('row-number').valueAsNumber, { count } = rows_file;
  if (!Number.isInteger(row) || row < 1 || row > count) throw `A row is a whole number from 1 to ${grouped(count)}.`;
  use_row(row - 1, false);
}

function take_rows({ name, bytes }) {
  rows_file = { name, bytes };
  at('rows').hidden = false;
  use_logits();
}

function take_answer({ name, pieces, places }) {
  if (!use_tokens(pieces)) return;
  rows_file = { name, request_of_row: (row) => ({ do: 'sparse_row', logprobs: places[row] }) };
  show_rows(places.length, `${name}: ${counted(places.length, 'place')}.`);
}

// ---- files

const takers = {
  text: ({ name, text, is_cut }) => learn(text, name, is_cut),
  tokens: take_tokens,
  rows: take_rows,
  answer: take_answer,
};

/** Several files go together only where one has the texts of the tokens that the rows of the other are of. */
function in_order(read) {
  if (read.length < 2) return read;
  const found = ['tokens', 'rows'].map((kind) => read.find((each) => each.kind === kind));
  if (read.length > 2 || !found.every(Boolean))
    throw 'One file at a time; or two, a tokenizer.json and its rows of logits.';
  return found;
}

async function open_files(files) {
  const load = ++loads;
  try {
    const read = await Promise.all(files.slice(0, 3).map(read_file));
    if (load !== loads) return;
    complain('');
    if (read.length > 1) rows_file = null;  // the tokenizer is of the rows that come with it
    for (const file of in_order(read)) takers[file.kind](file);
  } catch (thrown) {
    if (load === loads) complain(sentence_of(thrown));
  }
}

/** A listener that says why something cannot be done. */
const tried = (action) => () => {
  try {
    action();
  } catch (thrown) {
    complain(sentence_of(thrown));
  }
};

function set_up_drops() {
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
    open_files([...event.dataTransfer.files]);
  });
}

function set_up_sources() {
  at('file').addEventListener('change', () => {
    const files = [...at('file').files];
    at('file').value = '';
    if (files.length > 0) open_files(files);
  });
  at('tales').addEventListener('click', () => {
    ++loads;
    learn(undefined, own_text);
  });
  set_up_drops();
  // when a number is complete: on the way to 1024, rows have no single logit
  const cut_again = tried(() => { if (rows_file?.bytes) use_logits(); });
  at('row-size').addEventListener('change', cut_again);
  at('row-type').addEventListener('change', cut_again);
  at('row-number').addEventListener('change', tried(use_row_number));
}
