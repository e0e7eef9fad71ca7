'use strict';
// What a dropped file holds. Each reader answers { kind, ... } or throws a sentence for the person who dropped it.

const most_logits = 1 << 20;

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

/** A text as one character for each of its UTF-8 bytes: how the engine takes the texts of tokens. */
function bytes_of(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** The texts of tokens in a tokenizer.json: byte-level (GPT-2, Llama 3, Qwen) or with ▁ for a space (SentencePiece). */
function pieces_of_tokenizer(json) {
  const tokens = json.model.vocab;
  const listed = Array.isArray(tokens) ? tokens.map(([text], id) => [text, id]) : Object.entries(tokens);
  const added = (json.added_tokens ?? []).map(({ content, id }) => [content, id]);
  const of_bytes = JSON.stringify([json.pre_tokenizer, json.decoder]).includes('ByteLevel');
  const pieces = [];
  for (const [text, id] of listed) {
    if (!Number.isInteger(id) || id < 0 || id >= most_logits) throw `This tokenizer has a token of id ${id}.`;
    const byte = /^<0x([0-9A-F]{2})>$/.exec(text);
    if (of_bytes) pieces[id] = [...text].map((c) => String.fromCharCode(byte_of_visible.get(c) ?? 63)).join('');
    else pieces[id] = byte ? String.fromCharCode(parseInt(byte[1], 16)) : bytes_of(text.replaceAll('▁', ' '));
  }
  for (const [text, id] of added) pieces[id] = bytes_of(text);
  for (let id = 0; id < pieces.length; ++id) pieces[id] ??= '';
  return pieces;
}

/** The places in an answer of llama-server (n_probs, or logprobs with top_logprobs) where it says what else was likely. */
function places_of_answer(json) {
  const lists = [json, ...(Array.isArray(json) ? json : [])].flatMap((answer) => [
    answer?.completion_probabilities, answer?.probs,
    ...(answer?.choices ?? []).map((choice) => choice?.logprobs?.content)]);
  return lists.filter(Array.isArray).flat().map((place) => {
    const likely = place.top_logprobs ?? place.top_probs ?? place.probs ?? [];
    return likely.map((each) => ({ id: each.id, bytes: each.bytes, text: each.token ?? each.tok_str ?? '',
                                   logprob: each.logprob ?? Math.log(each.prob) }))
      .filter((each) => Number.isInteger(each.id) && each.id >= 0 && each.id < most_logits &&
                        Number.isFinite(each.logprob));
  }).filter((likely) => likely.length > 0);
}

/** Tokens and log-probabilities of the places of an answer; the texts of all tokens that occur. */
function file_of_answer(places) {
  const pieces = [];
  for (const { id, bytes, text } of places.flat())
    pieces[id] = bytes?.length ? String.fromCharCode(...bytes) : bytes_of(text);
  for (let id = 0; id < pieces.length; ++id) pieces[id] ??= '';
  return { kind: 'answer', pieces, places: places.map((likely) => likely.map(({ id, logprob }) => [id, logprob])) };
}

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

async function read_file(file) {
  if (file.size === 0) throw `${file.name} is empty.`;
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw `${file.name} is packed with gzip: unpack it first.`;
  const text = as_text(bytes);
  if (text === null) return { kind: 'rows', bytes };
  if (/\.json$/i.test(file.name)) {
    let json;
    try {
      json = JSON.parse(text);
    } catch (error) {
      throw `${file.name} is no JSON: ${error.message}`;
    }
    return file_of_json(json);
  }
  if (text.trim() === '') throw `${file.name} holds nothing but blanks.`;
  return { kind: 'text', text };
}

/** Rows in a file of logits, or a sentence that says what would fit. */
function shape_of_rows(byte_count, row_size, type) {
  if (!(row_size >= 1 && row_size <= most_logits)) throw 'Say how many logits a row has.';
  const rows_as = (each) => byte_count / row_size / (each === 'float32' ? 4 : 2);
  const fits = ['float32', 'float16'].filter((each) => (!type || type === each) && Number.isInteger(rows_as(each)));
  if (fits.length === 0)
    throw `${byte_count} bytes are no whole number of rows of ${row_size} ${type || 'float32 or float16'} logits.`;
  // 32 bits where both would fit: then the same bytes are half as many rows
  return { type: fits[0], rows: rows_as(fits[0]) };
}

function base64_of(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
  return btoa(text);
}
