// Files that a person could drop on the page, made up.

/** A normal bulk and sixty informative tokens above it, as a model's rows have. */
export function peaked_row(size, seed) {
  let state = seed;
  const uniform = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) + 0.5) / 2 ** 32;
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const row = Float32Array.from({ length: size }, () => -1.5 + 2.5 * normal());
  for (let i = 0; i < 60; ++i) row[Math.floor(uniform() * size)] = -1.5 + 2.5 * (8 - 0.2 * i);
  return row;
}

/** Float32 numbers as float16, cut towards 0; none here is too great or too small for that. */
export function float16_of(row) {
  const bits = new Uint32Array(row.buffer);
  const halves = new Uint16Array(row.length);
  bits.forEach((each, i) => {
    const exponent = (each >>> 23 & 255) - 112;
    halves[i] = each >>> 16 & 0x8000 | (exponent > 0 ? exponent << 10 | each >>> 13 & 1023 : 0);
  });
  return Buffer.from(halves.buffer);
}

/** A byte-level tokenizer.json of so many tokens: Ġ stands for the space. */
export function little_tokenizer(size) {
  const vocab = Object.fromEntries(Array.from({ length: size - 1 }, (_, id) => [`Ġw${id}`, id]));
  return { model: { type: 'BPE', vocab }, added_tokens: [{ id: size - 1, content: '<end>' }],
           pre_tokenizer: { type: 'ByteLevel' } };
}

/** What llama-server answers with n_probs = 4: the bytes of a token beside its text. */
export function answer_of_server() {
  const likely = [[11, ' blue', -0.4], [902, ' grey', -1.6], [7, ' clear', -2.5], [4011, '\u{fffd}', -3.1]];
  const listed = likely.map(([id, token, logprob]) => ({ id, token, bytes: id === 4011 ? [0xe2, 0x98] : [...Buffer.from(token)], logprob }));
  const place = { ...listed[0], top_logprobs: listed };
  return { content: ' blue blue blue', completion_probabilities: [place, place, place] };
}
