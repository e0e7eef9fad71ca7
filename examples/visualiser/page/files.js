'use strict';
// What a dropped file holds. Each reader answers { kind, ... } or throws a sentence for the person who dropped it.

let most_logits = 0;                // of a row: the engine says how many it takes
const most_text_bytes = 16 << 20;  // session.cpp learns from no more

/** The bytes of a token as tokenizer.json writes them: a visible character stands for each byte (GPT-2's table). */
const byte_of_visible = (() => {
  const table = new Map();
  let next = 256;
  for (let byte = 0; byte < 256; ++byte) {
    const visible = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
    table.set(String.fromCharCode(visible ? byte : next++), byte);
  }
  return table;
})();

/** One character for each byte. In blocks, since a call takes only so many arguments. */
function characters_of(bytes) {
  const block = 32768;
  if (bytes.length <= block) return String.fromCharCode(...bytes);
  let text = '';
  for (let i = 0; i < bytes.length; i += block) text += String.fromCharCode(...bytes.subarray(i, i + block));
  return text;
}

/** A text as one character for each of its UTF-8 bytes: how the engine takes the texts of tokens. */
const bytes_of = (text) => characters_of(new TextEncoder().encode(text));
const base64_of = (bytes) => btoa(characters_of(bytes));

const is_token_id = (id) => Number.isInteger(id) && id >= 0 && id < most_logits;
const list_in = (of) => (Array.isArray(of) ? of : []);

/** The texts by id, without gaps. */
function without_gaps(pieces) {
  for (let id = 0; id < pieces.length; ++id) pieces[id] ??= '';
  return pieces;
}

// ---- tokenizer.json -------------------------------------------------------------------------------------------------

const of_visible_bytes = (text) => [...text].map((c) => String.fromCharCode(byte_of_visible.get(c) ?? 63)).join('');
function of_sentence_piece(text) {
  const byte = /^<0x([0-9A-F]{2})>$/.exec(text);
  return byte ? String.fromCharCode(parseInt(byte[1], 16)) : bytes_of(text.replaceAll('▁', ' '));
}

/** The texts of tokens in a tokenizer.json: byte-level (GPT-2, Llama 3, Qwen) or with ▁ for a space (SentencePiece). */
function pieces_of_tokenizer(json) {
  const pieces = [];
  const add = (id, text, bytes_in) => {
    if (!is_token_id(id)) throw `This tokenizer has a token of id ${id}.`;
    if (typeof text !== 'string') throw `This tokenizer has no text for token ${id}.`;
    pieces[id] = bytes_in(text);
  };
  const tokens = json.model.vocab;
  const is_byte_level = JSON.stringify([json.pre_tokenizer, json.decoder]).includes('ByteLevel');
  const usual = is_byte_level ? of_visible_bytes : of_sentence_piece;
  if (Array.isArray(tokens)) tokens.forEach((each, id) => add(id, each?.[0], usual));
  else for (const [text, id] of Object.entries(tokens)) add(id, text, usual);
  for (const each of list_in(json.added_tokens)) add(each?.id, each?.content, bytes_of);
  if (pieces.length === 0) throw 'This tokenizer has no tokens.';
  return without_gaps(pieces);
}

// ---- answers of llama-server ----------------------------------------------------------------------------------------

/** What was likely at one place: tokens that have an id and a log-probability. */
function likely_at(place) {
  return list_in(place?.top_logprobs ?? place?.top_probs ?? place?.probs)
    .map((each) => ({ id: each?.id, bytes: each?.bytes, text: String(each?.token ?? each?.tok_str ?? ''),
                      logprob: each?.logprob ?? Math.log(each?.prob) }))
    .filter(({ id, logprob }) => is_token_id(id) && Number.isFinite(logprob));
}

/** The places in an answer of llama-server (n_probs, or logprobs with top_logprobs) where it says what else was likely. */
function places_of_answer(json) {
  return [json, ...list_in(json)]
    .flatMap((answer) => [answer?.completion_probabilities, answer?.probs,
                          ...list_in(answer?.choices).map((choice) => choice?.logprobs?.content)])
    .flatMap(list_in).map(likely_at).filter((likely) => likely.length > 0);
}

/** Tokens and log-probabilities of the places of an answer; the texts of all tokens that occur. */
function file_of_answer(places) {
  const pieces = [];
  for (const { id, bytes, text } of places.flat())
    pieces[id] = list_in(bytes).length > 0 ? characters_of(Uint8Array.from(bytes)) : bytes_of(text);
  return { kind: 'answer', pieces: without_gaps(pieces),
           places: places.map((likely) => likely.map(({ id, logprob }) => [id, logprob])) };
}

// ---- files ----------------------------------------------------------------------------------------------------------

function file_of_json(json) {
  const places = places_of_answer(json);
  if (places.length > 0) return file_of_answer(places);
  if (json?.model?.vocab) return { kind: 'tokens', pieces: pieces_of_tokenizer(json) };
  if (Array.isArray(json) && json.length > 0 && json.every((each) => typeof each === 'string'))
    return { kind: 'tokens', pieces: json.map(bytes_of) };
  throw 'This JSON is neither an answer of llama-server with n_probs, nor a tokenizer.json, nor a list of texts.';
}

function as_text(bytes) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

function as_json(text, name) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw `${name} is no JSON: ${error.message}`;
  }
}

/** As much of a text as the engine takes, up to the end of a character. */
function beginning_of(bytes) {
  let end = Math.min(bytes.length, most_text_bytes);
  while (end > 0 && end < bytes.length && (bytes[end] & 0xc0) === 0x80) --end;
  return bytes.subarray(0, end);
}

async function bytes_of_file(file) {
  if (file.size === 0) throw `${file.name} is empty.`;
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    throw `${file.name} could not be read. Is it a folder? (${error.message})`;
  }
}

async function read_file(file) {
  return { name: file.name, ...await content_of(file) };
}

async function content_of(file) {
  const bytes = await bytes_of_file(file);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw `${file.name} is packed with gzip: unpack it first.`;
  const is_json = /\.json$/i.test(file.name);
  const part = is_json ? bytes : beginning_of(bytes);
  const text = as_text(part);
  if (text === null) return { kind: 'rows', bytes };
  if (is_json) return file_of_json(as_json(text, file.name));
  if (text.trim() === '') throw `${file.name} holds nothing but blanks.`;
  return { kind: 'text', text, is_cut: part.length < bytes.length };
}

/** Rows in a file of logits, or a sentence that says what would fit. */
function shape_of_rows(byte_count, row_size, type) {
  if (!(Number.isInteger(row_size) && row_size >= 1 && row_size <= most_logits)) throw 'Say how many logits a row has.';
  const rows_as = (each) => byte_count / row_size / (each === 'float32' ? 4 : 2);
  const fits = ['float32', 'float16'].filter((each) => (!type || type === each) && Number.isInteger(rows_as(each)));
  if (fits.length === 0)
    throw `${byte_count} bytes are no whole number of rows of ${row_size} ${type || 'float32 or float16'} logits.`;
  // 32 bits where both would fit: then the same bytes are half as many rows
  return { type: fits[0], rows: rows_as(fits[0]) };
}
