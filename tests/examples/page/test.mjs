// The page as a person meets it: node test.mjs PAGE.html NATIVE_PROGRAM [--screenshots FOLDER]
//
// Moves, types and drops things in a headless Chromium, looks at what the page then shows, and asks the native program
// the same questions: every answer must be the same, byte for byte. Prints how long updates take at V = 32,000.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Chromium } from './chromium.mjs';
import { contrasts } from './contrast.mjs';
import { peaked_row, float16_of, little_tokenizer, answer_of_server } from './files.mjs';

const [page, native, option, folder_of_screenshots] = process.argv.slice(2);
if (!page || !native) throw new Error('usage: test.mjs PAGE.html NATIVE_PROGRAM [--screenshots FOLDER]');

let passed = 0, failed = 0;
function expect(holds, what) {
  if (holds) return void ++passed;
  ++failed;
  console.log(`FAILED: ${what}`);
}
function expect_equal(found, wanted, what) {
  expect(found === wanted, `${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

const folder = mkdtempSync(join(tmpdir(), 'riffle-page-'));
const address_of_page = String(pathToFileURL(resolve(page)));
const chromium = await Chromium.open('chromium', `${address_of_page}#record`);
const value = (expression) => chromium.value(expression);
const text_of = (selector) => value(`document.querySelector(${JSON.stringify(selector)}).textContent`);
const names = () => value('chain_view.stages.map(({ name }) => name).join()');
/** An expression in which `of` is the element. */
const of = (selector, expression) => value(`((of) => (${expression}))(document.querySelector(${JSON.stringify(selector)}))`);
const has_focus = (selector) => of(selector, 'document.activeElement === of');
const problem = () => text_of('#problem');
const count_of = (stage) => text_of(`#stages > :nth-child(${stage + 1}) .count`);
const slider = (stage, name) => `#stage-${stage}-${name}`;
const field = (stage) => `#stages > :nth-child(${stage + 1}) input.number`;
const problem_at = (stage, name) => text_of(`#stage-${stage}-${name}-problem`);
async function set_field(selector, text) {
  await value(`(() => { const of = document.querySelector(${JSON.stringify(selector)}); of.focus(); of.select?.(); })()`);
  await chromium.type(text);
}
/** Types, and leaves the field by Enter. */
async function enter(selector, text) {
  await set_field(selector, text);
  await chromium.press('Enter', 'Enter', '\r');
}
async function choose_option(selector, option_text) {
  await value(`(() => { const of = document.querySelector(${JSON.stringify(selector)}); of.value = ${JSON.stringify(option_text)};
    of.dispatchEvent(new Event('change', { bubbles: true })); })()`);
  await chromium.frames();
}
async function drop_file(name, bytes) {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  const before = await value('complain(""), engine.transcript.length');
  await chromium.choose('#file', [path]);
  await chromium.until(`engine.transcript.length > ${before} || document.querySelector('#problem').textContent !== ''`);
  await chromium.frames();
}

async function asks_for_nothing() {
  const others = chromium.requests.filter((address) => !address.startsWith(address_of_page));
  expect(chromium.requests.length > 0, 'requests are seen');
  expect_equal(others.join(), '', 'the page asks for nothing but itself');
}

async function shows_a_step() {
  expect_equal(await names(), 'penalties,top_k,top_p,min_p,temperature,dist', 'the chain at the beginning');
  expect(/^[\d,]+ → 40$/.test(await count_of(1)), 'top_k leaves 40 tokens');
  expect((await value('document.querySelectorAll("#tokens tr").length')) >= 40, 'forty tokens are shown');
  expect(/^▸/.test(await text_of('#tokens .chosen th')), 'the chosen token is marked');
  expect((await of('#tokens', '[...of.rows].filter((line) => line.cells[5].textContent.startsWith("fell to ")).length')) > 20,
         'tokens that fell say to which stage');
  expect(/^1 |^chain/m.test(await text_of('#plan')), 'the plan is there');
  expect_equal(await value('document.querySelector("#settings").value'),
               'penalty_last_n=64;penalty_repeat=1.1;penalty_freq=0;penalty_present=0;top_k=40;top_p=0.95;min_p=0.05;temp=0.8;seed=42',
               'the settings of the first chain');
}

/** The engine's memory grows for these: they come early, while it is small. */
async function big_files_are_read() {
  const words = Array.from({ length: 30000 }, (_, i) => `w${(i * 7919 % 20011).toString(36)}`).join(' ');
  const text = `${words}. `.repeat(Math.ceil(2.2e6 / words.length));
  await drop_file('big.txt', text);
  await chromium.until('document.querySelector("#source").textContent.includes("big.txt")');
  expect(/2,\d{3},\d{3} bytes/.test(await text_of('#source')), `a text over 2 MB: ${await text_of('#source')}`);
  await drop_file('big.json', JSON.stringify(little_tokenizer(128256)));
  await chromium.until('step_view.texts.length === 128256');
  expect_equal(await problem(), 'Now drop a file with rows of logits.', 'a tokenizer of 128,256 tokens');
  await drop_file('v128256.f32', Buffer.from(peaked_row(128256, 5).buffer));
  await chromium.until('document.querySelector("#source").textContent.includes("v128256")');
  expect_equal(await problem(), '', 'a tokenizer and a row of 128,256 tokens');
  expect(/^128,256 tokens/.test(await text_of('#caption')), await text_of('#caption'));
  expect_equal(await value(`beginning_of(new TextEncoder().encode('x'.repeat(most_text_bytes - 1) + 'é')).length - most_text_bytes`), -1,
               'a text is cut before a character that does not fit');
  await chromium.click('#tales');
  await chromium.until('document.querySelector("#source").textContent.includes("tales")');
}

async function sliders_change_the_chain() {
  await chromium.slide(slider(1, 'k'), 0.2);
  const k = await value(`document.querySelector('${slider(1, 'k')}').nextSibling.value`);
  expect(k > 1 && k < 40, `a slider spaced by ratio: k = ${k}`);
  expect((await count_of(1)).endsWith(` ${k}`), 'the chain keeps as many tokens as the slider says');
  await chromium.slide(slider(2, 'p'), 0.3);
  await chromium.slide(slider(4, 't'), 0.9);
  expect((await value('chain_view.stages[4].values.t')) > 2, 'the temperature is high');
  await set_field(field(1), '3');
  expect((await count_of(1)).endsWith(' 3'), 'a typed value counts');
  await set_field(field(3), '-0.5');
  expect_equal(await problem(), '', 'a min_p below 0 is off');
}

async function stages_move() {
  await chromium.resize(1280, 2400);
  await chromium.drag('#stages > :nth-child(5) .grip', '#stages > :nth-child(2)', -30);
  expect_equal(await names(), 'penalties,temperature,top_k,top_p,min_p,dist', 'a stage dragged upwards');
  await chromium.drag('#stages > :nth-child(2) .grip', '#stages > :nth-child(5)', 40);
  expect_equal(await names(), 'penalties,top_k,top_p,min_p,temperature,dist', 'and down again');
  await value('document.querySelector("#stages > :nth-child(4) .grip").focus()');
  await chromium.press('ArrowUp');
  expect_equal(await names(), 'penalties,top_k,min_p,top_p,temperature,dist', 'a stage moved by key');
  expect(await has_focus('#stages > :nth-child(3) .grip'), 'the focus stays with the stage that moved');
  expect_equal(await text_of('#spoken'), 'min_p is stage 3 of 6', 'a screen reader hears where it went');
  const before = await count_of(2);
  await chromium.click('#stages > :nth-child(3) input[type=checkbox]');
  expect_equal(await count_of(2), '', 'a stage that is off counts nothing');
  await chromium.click('#stages > :nth-child(3) input[type=checkbox]');
  expect_equal(await count_of(2), before, 'on again, it does what it did');
  await value('document.querySelector("#stages > :nth-child(6) .grip").focus()');
  await chromium.press('ArrowUp');
  expect(/selector|last/.test(await problem()), `a selector that is not the last is refused: ${await problem()}`);
  expect_equal(await names(), 'penalties,top_k,min_p,top_p,temperature,dist', 'and the chain is as it was');
  await chromium.resize(1280, 900);
}

/** Sixty times a second nobody can listen: what came of it is said after a pause. */
async function results_are_spoken_after_a_pause() {
  await choose_option('#preset', 'a usual chain');
  await value('speak(""); clearTimeout(pause)');
  await chromium.slide(slider(1, 'k'), 0.3);
  expect_equal(await text_of('#spoken'), '', 'while a slider moves nothing is said');
  await chromium.until('document.querySelector("#spoken").textContent !== ""', 5);
  expect_equal(await text_of('#spoken'), `Next token: ${await text_of('#summary')}`, 'then what is chosen now');
  expect_equal(await value('document.querySelectorAll("output").length'), 0, 'nothing else is a live region');
}

async function refusals_are_no_moves() {
  await choose_option('#preset', 'a usual chain');
  await value('speak("")');
  await value('document.querySelector("#stages > :nth-child(6) .grip").focus()');
  await chromium.press('ArrowUp');
  expect_equal(await text_of('#spoken'), '', 'a move that was refused is not announced');
  expect(await has_focus('#stages > :nth-child(6) .grip'), 'and the focus stays');
  await chromium.click('#stages > :nth-child(2) .down');
  expect_equal(await names(), 'penalties,top_p,top_k,min_p,temperature,dist', 'a button moves a stage');
  expect(await has_focus('#stages > :nth-child(3) .down'), 'and has the focus where it went');
  await chromium.click('#stages > :nth-child(3) .up');
}

/** What a value waits for is its own stage, wherever that is when the frame comes. */
async function waiting_values_find_their_stage() {
  await choose_option('#preset', 'a usual chain');
  await value(`(() => { const of = document.querySelector('#stage-2-p'); of.value = 0.3; of.dispatchEvent(new Event('input'));
    document.querySelector('#stages > :nth-child(1) .remove').click(); })()`);
  await chromium.frames();
  expect_equal(await value('JSON.stringify(chain_view.stages.map(({ name, values }) => [name, values.p]).slice(1, 3))'),
               '[["top_p",0.3],["min_p",0.05]]', 'top_p was set before penalties went');
}

async function looks_follow_their_stage() {
  await choose_option('#preset', 'a usual chain');
  await chromium.click('#stages > :nth-child(2) .look');
  await chromium.click('#stages > :nth-child(2) .down');
  expect(/behind top_k/.test(await text_of('#caption')), `top_k is looked behind where it went: ${await text_of('#caption')}`);
  expect_equal(await of('#stages', '[...of.children].findIndex((card) => card.querySelector(".look[aria-pressed=true]"))'), 2,
               'its button says so');
  await chromium.click('#stages > :nth-child(1) .on');
  expect_equal(await of('#stages', 'of.querySelectorAll(".look[aria-pressed=true]").length'), 1,
               'and still does when another stage goes off');
  await choose_option('#preset', 'greedy');
  expect(/left to choose from/.test(await text_of('#caption')), 'a new chain is looked at from its end');
  await choose_option('#preset', 'a usual chain');
}

async function fields_say_what_is_taken() {
  await choose_option('#preset', 'a grammar');
  await value('document.querySelector("#stage-0-grammar").value = ""');
  await set_field('#stage-0-grammar', 'root ::= "y');
  await set_field(field(1), '1.5');
  expect(await problem_at(0, 'grammar') !== '', 'a wrong grammar stays wrong when another stage is set');
  expect_equal(await of('#stage-0-grammar', 'of.getAttribute("aria-invalid")'), 'true', 'and its field is marked');
  await chromium.click('#stages > :nth-child(2) .on');
  expect_equal(await problem(), '', 'other stages can be switched meanwhile');
  expect(await value('!chain_view.stages[1].on'), 'which counts');
  expect_equal(await of('#stage-0-grammar', 'of.value'), 'root ::= "y', 'what was typed is still there');
  expect(/^root ::= "The/.test(await value('chain_view.stages[0].values.grammar')), 'and the last good grammar is in effect');

  await choose_option('#preset', 'a usual chain');
  const slid = () => of('#stage-4-t', '`${of.value}, read as ${of.getAttribute("aria-valuetext")}`');
  const before = await slid();
  await of(field(4), 'of.value = "", of.dispatchEvent(new Event("input"))');
  await chromium.frames();
  expect_equal(await slid(), before, 'an empty field moves no slider');
  await of(field(4), 'of.dispatchEvent(new Event("change"))');
  expect_equal(await of(field(4), 'of.value'), '0.8', 'and has its number again when it is left');
  await enter(field(1), '3.7');
  expect_equal(await of(field(1), 'of.value'), '3', 'a field that is left has the value that was taken');
  await enter(field(4), 'inf');
  expect_equal(await problem() + await of(field(4), 'of.value'), 'inf', 'a temperature without end');
  expect_equal(await slid(), '3, read as inf', 'the slider stands at its end');
  await set_field(field(4), 'hot');
  expect(/number/.test(await problem_at(4, 't')), 'what is no number has a sentence');

  await enter('#stage-5-seed', '9007199254740991');
  expect_equal(await of('#stage-5-seed', 'of.value'), '9007199254740991', 'the greatest seed that is a number');
  await enter('#stage-5-seed', '18446744073709551615');
  expect_equal(await of('#stage-5-seed', 'of.value'), '18446744073709551615', 'and the greatest of all');
  expect(/seed=18446744073709551615$/.test(await of('#settings', 'of.value')), `it is in effect: ${await of('#settings', 'of.value')}`);
  await enter('#stage-5-seed', '-1');
  expect(/whole number/.test(await problem_at(5, 'seed')), 'a negative seed has a sentence');
  await enter('#stage-5-seed', '42');

  await set_field(field(1), '0');
  await value('document.querySelector("#stage-1-k").focus()');
  await chromium.press('ArrowRight');
  expect_equal(await value('chain_view.stages[1].values.k'), 1, 'one key from 0 to 1');
}

async function stages_light_up() {
  await choose_option('#preset', 'a usual chain');
  await set_field('#prompt', 'One evening');
  const [row, stage, title] = await value(`(() => { const row = step_view.rows.findIndex(({ line }) => line.fate >= 0);
    return [row, step_view.rows[row].line.fate, step_view.rows[row].line.title]; })()`);
  const name = (await names()).split(',')[stage];
  expect(title.endsWith(`fell to ${name}`), `a token says which stage removed it: ${title}`);
  await chromium.resize(1280, 2400);
  await chromium.mouse('mouseMoved', await chromium.middle_of(`#tokens tr:nth-child(${row + 1})`), { button: 'none' });
  expect_equal(await of('#stages', '[...of.children].findIndex((card) => card.classList.contains("lit"))'), stage,
               'under the pointer, it lights that stage');
  await chromium.mouse('mouseMoved', await chromium.middle_of(`#stages > :nth-child(${stage + 1}) .note`), { button: 'none' });
  const lit = await of('#tokens', '[...of.querySelectorAll(".lit")].map((line) => line.fate)');
  expect(lit.length > 0 && lit.every((each) => each === stage), 'and the stage lights what it removed');
  await chromium.resize(1280, 900);
}

async function every_stage_and_control() {
  const entries = await value('[...chain_view.entries.values()].map(({ name, group, parameters }) => ({ name, group, parameters }))');
  expect(entries.length >= 35, `${entries.length} stages in the catalogue`);
  for (const { name, group, parameters } of entries) {
    await choose_option('#preset', 'min-p, hot');
    await choose_option('#catalogue', name);
    await value('document.querySelector("#add").requestSubmit()');
    await chromium.frames();
    const place = (await names()).split(',').indexOf(name);
    expect(place >= 0, `${name} can be added: ${await problem()}`);
    expect(group === 'select' ? place === 2 : place < 3, `${name} stands in its place`);
    for (const { name: parameter, control } of parameters) {
      const control_of = `#stage-${place}-${parameter}`;
      await value(`document.querySelector('${control_of}').closest('details')?.setAttribute('open', '')`);
      if (control === 'slider') {
        await of(control_of, 'of.stepUp(7), of.dispatchEvent(new Event("input"))');
      } else if (control === 'switch') {
        await chromium.click(control_of);
      } else if (control === 'seed') {
        await set_field(control_of, '1234567');
      } else if (control === 'list') {
        const items = { biases: '[" the", -5], [10, false]', sequences: '" the old", [5, 7]', phrases: '"the goose"' }[parameter];
        await set_field(control_of, items ?? '" the", 32, " a"');
      }
      await chromium.frames();
      expect_equal(await problem() + await problem_at(place, parameter), '', `${name}: ${parameter} can be set`);
    }
    await chromium.click('#one');
  }
}

async function draws_and_goes_on() {
  await choose_option('#preset', 'a usual chain');
  await set_field('#prompt', 'The miller');
  expect_equal(await text_of('#so-far'), 'The miller', 'the text begins as it was typed');
  await chromium.click('#one');
  expect_equal(await value('last_text.generated.length'), 1, 'one token more');
  await chromium.click('#many');
  expect_equal(await value('last_text.generated.length'), 41, 'and forty more');
  const before = await text_of('#so-far');
  await chromium.click('#back');
  await chromium.click('#one');
  expect_equal(await text_of('#so-far'), before, 'a token taken back is chosen again');
  await chromium.click('#draws');
  const drawn = await value('[...draws.counts.values()].reduce((sum, count) => sum + count, 0)');
  expect_equal(drawn, 1000, 'a thousand draws');
  expect(/^1,000 draws, \d+ tokens?; most often: /.test(await text_of('#outcome')), `their outcome is seen: ${await text_of('#outcome')}`);
  expect_equal(await text_of('#spoken'), await text_of('#outcome'), 'and heard');
  const far = await value('Math.max(...step_view.step.top.map(([id, , after]) => Math.abs((draws.counts.get(id) ?? 0) / 1000 - after)))');
  expect(far < 0.06, `their shares are near the law: ${far} apart`);  // four deviations of a share of one half
  await chromium.click('#stages > :nth-child(3) .look');
  expect(/behind top_p/.test(await text_of('#caption')), 'the distribution behind a stage');
  await chromium.click('#stages > :nth-child(3) .look');
  await chromium.click('#again');
  expect_equal(await value('last_text.generated.length'), 0, 'the text begins again');
  await value('document.querySelector("#one").focus()');
  await chromium.press('Enter', 'Enter', '\r');
  expect_equal(await value('last_text.generated.length'), 1, 'a key chooses a token');
}

async function settings_are_read_and_written() {
  const settings = 'top_k=7;temp=1.25;seed=9';
  await set_field('#settings', settings);
  await chromium.click('#apply-settings');
  expect_equal(await names(), 'top_k,temperature,dist', 'settings make the chain');
  await value('document.activeElement.blur()');
  await chromium.slide(slider(0, 'k'), 0.1);
  expect(/^top_k=\d+;temp=1.25;seed=9$/.test(await value('document.querySelector("#settings").value')), 'a slider writes them');
  await set_field('#settings', 'topp=0.5;tmp=1');
  await chromium.click('#apply-settings');
  expect(/tmp/.test(await problem()), `what nobody knows is named: ${await problem()}`);
  expect_equal(await names(), 'top_k,temperature,dist', 'and the chain is as it was');
  await set_field('#settings', 'logit_bias=32-5;dry_multiplier=0.8;grammar=root ::= [a-z ]+;xtc_probability=0.2;mirostat=0;seed=4');
  await chromium.click('#apply-settings');
  expect_equal(await names(), 'constrain,logit_bias,dry,xtc,dist', `grammar and lists from settings: ${await problem()}`);
  const copying = (outcome) => value(`Object.defineProperty(navigator, 'clipboard',
    { configurable: true, value: { writeText: () => Promise.${outcome} } }) && true`);
  await copying('reject(new Error())');
  await chromium.click('#copy-settings');
  expect(/does not let a page copy/.test(await text_of('#copied')), 'a copy that failed is no copy');
  await copying('resolve()');
  await chromium.click('#copy-settings');
  expect_equal(await text_of('#copied'), 'Copied.', 'and one that did not is');
  await choose_option('#preset', 'steady surprise');
  await choose_option('#catalogue', 'skew');
  await value('document.querySelector("#add").requestSubmit()');
  await chromium.frames();
  expect(/skew/.test(await text_of('#settings-note')), 'what settings cannot say is said');
}

async function grammars_grey_out() {
  await choose_option('#preset', 'a grammar');
  await set_field('#prompt', '');
  await chromium.click('#stages > :nth-child(1) .on');
  const tokens_that = (fell) => of('#tokens', `[...of.rows].filter((line) => ${fell}).map((line) => line.cells[0].textContent)`);
  const legal = await tokens_that('line.fate === kept');
  await chromium.click('#stages > :nth-child(1) .on');
  const fallen = await tokens_that('line.fate === 0');
  expect(legal.some((token) => fallen.includes(token)), `a grammar greys out tokens that were legal: ${legal.slice(0, 5)}`);
  await set_field('#prompt', '');
  await chromium.click('#many');
  const said = await text_of('#so-far');
  expect(/^The (cat|crow|goose) (slept|laughed|said [a-z ]{3,12})\.$/.test(said), `the text keeps to the grammar: ${said}`);
  expect_equal(await text_of('#outcome'), 'The text is complete.', 'its end is seen');
  expect(/the text is complete$/.test(await text_of('#spoken')), 'and heard');
  await choose_option('#preset', 'a grammar');
  await chromium.click('#again');
  await value('document.querySelector("#stage-0-grammar").value = ""');
  await set_field('#stage-0-grammar', 'root ::= "y');
  expect(/\d+:\d+/.test(await problem_at(0, 'grammar')), `a grammar that is not one: ${await problem_at(0, 'grammar')}`);
  await value('document.querySelector("#stage-0-grammar").value = ""');
  await set_field('#stage-0-grammar', 'root ::= "yes" | "no"');
  expect_equal(await problem_at(0, 'grammar') + await problem(), '', 'and one that is');
  expect(/next byte: \[ny\]|fell here/.test(await text_of('#stages > :nth-child(1) .fell')), 'what may come next');
}

async function files_are_read() {
  await choose_option('#preset', 'a usual chain');
  await drop_file('story.txt', 'One fish, two fish, three fish. '.repeat(400));
  expect(/learnt from story\.txt/.test(await text_of('#source')), 'a text is learnt');
  await chromium.click('#tales');
  await chromium.drop([join(folder, 'story.txt')]);
  await chromium.until('document.querySelector("#source").textContent.includes("story.txt")');
  expect(await value('document.querySelector("#drop").hidden'), 'a file dropped on the window');
  await drop_file('blank.txt', ' \n ');
  expect(/nothing but blanks/.test(await problem()), 'a blank text has a sentence');
  await drop_file('wrong.json', '{"a": ');
  expect(/no JSON/.test(await problem()), 'broken JSON has a sentence');
  await drop_file('other.json', '{"a": 1}');
  expect(/neither/.test(await problem()), 'JSON of something else has a sentence');
  await drop_file('text.gz', Buffer.from([0x1f, 0x8b, 8, 0]));
  expect(/gzip/.test(await problem()), 'a packed file has a sentence');

  const row = peaked_row(1000, 1);
  await drop_file('rows.f32', Buffer.concat([row, peaked_row(1000, 2)].map((each) => Buffer.from(each.buffer))));
  expect(/how many logits/.test(await problem()), 'rows want to know how long they are');
  expect_equal(await value('step_view.texts.length > 0'), true, 'until then, the texts are those of the model');
  await set_field('#row-size', '1');
  expect(/how many logits/.test(await problem()), 'on the way to 1000, 1 is no length');
  await enter('#row-size', '1001');
  expect(/no whole number of rows/.test(await problem()), 'a length that does not fit has a sentence');
  await enter('#row-size', '1000');
  expect_equal(await value('step_view.texts.length'), 0, 'which rows of another model have not');
  expect_equal(await text_of('#so-far'), '', 'nor its text');
  expect(/2 rows of 1,000 float32/.test(await text_of('#source')), `rows of float32: ${await text_of('#source')}`);
  await enter('#row-number', '2');
  expect_equal(await problem(), '', 'the second row');
  await drop_file('rows.f16', float16_of(row));
  expect(/1 row of 1,000 float16/.test(await text_of('#source')), `rows of float16: ${await text_of('#source')}`);
  await drop_file('tokenizer.json', JSON.stringify(little_tokenizer(1000)));
  expect(await value('step_view.texts[300] === " w300" && step_view.texts[999] === "<end>"'), 'the texts of a tokenizer.json');
  await drop_file('answer.json', JSON.stringify(answer_of_server()));
  await enter('#row-number', '4');
  expect(/from 1 to 3/.test(await problem()), 'a row that is not there has a sentence');
  await enter('#row-number', '1.5');
  expect(/whole number/.test(await problem()), 'and so has a part of one');
  expect(/3 places/.test(await text_of('#source')), `an answer of llama-server: ${await text_of('#source')}`);
  expect_equal(await value('step_view.step.curve.at(-1)[0]'), 4, 'four tokens are legal there');
  await drop_file('odd.bin', Buffer.from([0, 255, 254]));
  expect(/no whole number of rows/.test(await problem()), 'an odd file has a sentence');
}

async function odd_files_have_sentences() {
  const odd = { 'numbers.json': '{"model":{"vocab":[1,2]}}', 'choices.json': '{"choices":{}}',
    'null.json': '{"completion_probabilities":[null]}', 'empty.json': '{"model":{"vocab":{}}}', 'negative.json': '{"model":{"vocab":{"a":0}},"added_tokens":[{"id":-1,"content":"x"}]}',
    'half.json': '{"model":{"vocab":{"a":0}},"added_tokens":[{"id":0.5,"content":"x"}]}',
    'great.json': '{"model":{"vocab":{"a":0}},"added_tokens":[{"id":4000000000,"content":"x"}]}' };
  for (const [name, text] of Object.entries(odd)) {
    await drop_file(name, text);
    expect(/^This (JSON|tokenizer) /.test(await problem()), `${name}: ${await problem()}`);
  }
  await chromium.drop([folder]);
  await chromium.until(`document.querySelector('#problem').textContent.includes('folder')`);
  await drop_file('long.json', JSON.stringify(['a'.repeat(300000), 'b']));
  expect_equal(await value('step_view.texts[0].length'), 300000, 'a long text of a token');
  await value(`Promise.reject(new TypeError('nobody foresaw this'))`).catch(() => {});
  await value(`void setTimeout(() => { throw new TypeError('nobody foresaw this'); })`);
  await chromium.until(`document.querySelector('#problem').textContent.includes('nobody foresaw this')`);
  for (let i = chromium.errors.length; i-- > 0;) if (chromium.errors[i].includes('nobody foresaw this')) chromium.errors.splice(i, 1);
}

async function odd_rows_have_sentences() {
  const row = peaked_row(1000, 1);
  await drop_file('good.f32', Buffer.from(row.buffer));
  await enter('#row-size', '1000');
  for (const [name, odd] of [['infinite', -Infinity], ['none', NaN]]) {
    await drop_file(`${name}.f32`, Buffer.from(Float32Array.from(row).fill(odd).buffer));
    expect_equal(await value('document.querySelectorAll("#tokens tr").length'), 0, `${name}: no token is shown`);
    expect_equal(await text_of('#caption'), 'No token of this row is legal.', `${name}: a sentence`);
    expect_equal(await text_of('#summary'), 'no token', `${name}: none is chosen`);
  }
  row[5] = NaN;
  await drop_file('one.f32', Buffer.from(row.buffer));
  expect(await value('document.querySelectorAll("#tokens tr").length') > 0, 'one NaN leaves the others');
}

async function files_come_together() {
  const [tokenizer, rows] = [join(folder, 'pair.json'), join(folder, 'pair.f32')];
  writeFileSync(tokenizer, JSON.stringify(little_tokenizer(500)));
  writeFileSync(rows, Buffer.concat([1, 2].map((seed) => Buffer.from(peaked_row(500, seed).buffer))));
  await chromium.choose('#file', [rows, tokenizer]);
  await chromium.until('document.querySelector("#source").textContent.includes("2 rows of 500 float32")');
  expect_equal(await value('step_view.texts[300]'), ' w300', 'a tokenizer and its rows, dropped together');
  writeFileSync(join(folder, 'tale.txt'), 'a tale. ');
  await chromium.choose('#file', [rows, join(folder, 'tale.txt')]);
  await chromium.until('document.querySelector("#problem").textContent.includes("One file at a time")');
  await value(`(() => {
    const file = (name, after) => ({ name, size: 1, arrayBuffer: () => new Promise((done) => setTimeout(() =>
      done(new TextEncoder().encode((name + ' text there. ').repeat(50)).buffer), after)) });
    open_files([file('slow.txt', 300)]);
    open_files([file('fast.txt', 0)]);
    return new Promise((done) => setTimeout(done, 600));
  })()`);
  expect(/fast\.txt/.test(await text_of('#source')), 'of two loads, the newer one counts');
}

/** Places of an answer that have different tokens. */
async function places_differ() {
  const place = (list) => ({ top_logprobs: list.map(([id, token, logprob]) => ({ id, token, logprob, bytes: [...Buffer.from(token)] })) });
  const places = [place([[11, ' blue', -0.4], [902, ' grey', -1.6]]), place([[4011, ' far', -0.4], [7, ' clear', -1.6]])];
  await drop_file('places.json', JSON.stringify({ completion_probabilities: places }));
  await chromium.until('document.querySelector("#source").textContent.includes("places.json")');
  const likeliest = () => value('step_view.token_text(step_view.step.top[0][0])');
  expect_equal(await likeliest(), '␣blue', 'the first place');
  await enter('#row-number', '2');
  expect_equal(await likeliest(), '␣far', 'the second');
  await enter('#row-number', '1');
  expect_equal(await likeliest(), '␣blue', 'and the first again');
}

/** A module that traps is asked nothing more. */
async function an_end_is_said() {
  await value(`engine.library = { ...engine.library, answer: () => { throw new WebAssembly.RuntimeError('unreachable'); } };
               document.querySelector('#one').click()`);
  await chromium.until(`document.querySelector('#problem').textContent.includes('reload the page')`);
  await chromium.click('#many');
  expect(/reload the page/.test(await problem()), 'a library that has ended says so');
  chromium.errors.length = 0;
}

async function fits_narrow_and_dark() {
  for (const width of [320, 400, 768, 1280]) {
    await chromium.resize(width, 800);
    expect(await value('document.documentElement.scrollWidth <= innerWidth'), `nothing sticks out at ${width}`);
  }
  await chromium.resize(800, 800);
  expect(await of('#step', 'of.getBoundingClientRect().top < of.nextElementSibling.getBoundingClientRect().top'),
         'in a narrow window, too, what comes first is first for keys');
  await chromium.resize(1280, 900);
}

/** Every text and every field as they are shown, with a stage that is off, one that is looked behind, one that is lit. */
async function contrasts_suffice() {
  await choose_option('#preset', "llama.cpp's default");
  await chromium.click('#stages > :nth-child(9) .on');
  await chromium.click('#stages > :nth-child(4) .look');
  await set_field(field(6), 'many');
  for (const scheme of ['light', 'dark']) {
    await chromium.prefer(scheme);
    for (let stage = 0; stage < 12; ++stage) {
      await value(`for (const of of document.querySelectorAll('#stages > li, #tokens tr.fallen'))
                     of.style.setProperty('--colour', 'var(--stage-${stage})');
                   step_view.light(${stage % 2 ? 'step_view.rows.find(({ line }) => line.fate >= 0).line.fate' : 'null'})`);
      const { count, wrong } = await value(contrasts);
      expect(count > 200, `${count} contrasts are computed`);
      expect(wrong.length === 0, `${scheme}, colour ${stage}: ${wrong.slice(0, 5).join('; ')}`);
    }
    await schemes_colours_differ(scheme);
  }
  await chromium.prefer('light');
}

/** Colours of stages are told apart: their distance in Oklab, in which 0.02 can just be seen. */
async function schemes_colours_differ(scheme) {
  const colours = await value(`Array.from({ length: stage_colours }, (_, i) =>
    getComputedStyle(document.documentElement).getPropertyValue('--stage-' + i).trim())`);
  expect(colours.length >= 12, `${colours.length} colours of stages`);
  const all = colours.map(oklab);
  const least = Math.min(...all.flatMap((a, i) => all.slice(0, i).map((b) => Math.hypot(...a.map((each, k) => each - b[k])))));
  expect(least > 0.06, `${scheme}: the colours of stages are ${least.toFixed(3)} apart`);
}
function oklab(colour) {
  const [r, g, b] = colour.slice(1).match(/../g).map((each) => parseInt(each, 16) / 255)
    .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

async function everything_has_a_name() {
  const { nodes } = await chromium.send('Accessibility.getFullAXTree');
  const roles = ['button', 'slider', 'textbox', 'checkbox', 'combobox', 'spinbutton', 'table', 'image', 'region'];
  const met = new Set();
  for (const { ignored, role, name } of nodes) {
    if (ignored || !roles.includes(role?.value)) continue;
    met.add(role.value);
    expect(Boolean(name?.value), `a ${role.value} without a name`);
  }
  for (const role of ['button', 'slider', 'checkbox', 'combobox', 'spinbutton', 'table']) expect(met.has(role), `a ${role} is there`);
}

const frame = 1000 / 60;  // milliseconds

/** Updates while a slider moves over a row of 32,000 logits. */
async function measure_updates() {
  await drop_file('v32000.f32', Buffer.from(peaked_row(32000, 3).buffer));
  await enter('#row-size', '32000');
  for (const preset of ['a usual chain', "llama.cpp's default"]) {
    await choose_option('#preset', preset);
    const times = await value(`(async () => {
      const of = document.querySelector('#stages input[type=range][id$="-k"]');
      update_times.length = 0;
      for (let i = 0; i < 120; ++i) {
        of.value = 200 + 5 * i;
        of.dispatchEvent(new Event('input'));
        await new Promise(requestAnimationFrame);
      }
      return [...update_times].sort((a, b) => a - b);
    })()`);
    const median = times[times.length >> 1], slow = times[Math.floor(times.length * 0.95)];
    expect(median < 3 * frame, `${preset}: half of the updates take ${median.toFixed(1)} ms, on a machine that may be busy`);
    console.log(`updates at V = 32,000, ${preset}: median ${median.toFixed(1)} ms, 95 of 100 within ${slow.toFixed(1)} ms`);
  }
}

async function take_screenshots(into) {
  await chromium.click('#tales');
  await choose_option('#preset', 'a usual chain');
  await set_field('#prompt', 'One evening');
  await chromium.click('#many');
  await value('document.activeElement.blur(); scrollTo(0, 0)');
  await chromium.resize(1180, 760, 1);
  for (const scheme of ['light', 'dark']) {
    await chromium.prefer(scheme);
    writeFileSync(join(into, `visualiser-${scheme}.png`), await chromium.screenshot());
  }
}

/** Asks the native program what the page asked. */
async function compare_with_native() {
  const transcript = await value('engine.transcript');
  const asked = transcript.map(([request]) => `${request}\n`).join('');
  const { stdout, status } = spawnSync(native, { input: asked, maxBuffer: 1 << 30, encoding: 'utf8' });
  expect_equal(status, 0, 'the native program ends well');
  const answers = stdout.split('\n');
  expect_equal(answers.length, transcript.length + 1, 'it answers every request');
  let same = 0;
  transcript.forEach(([request, answer], i) => {
    if (answer === answers[i]) ++same;
    else expect(false, `${request.slice(0, 200)}\n  page    ${answer.slice(0, 300)}\n  program ${answers[i]?.slice(0, 300)}`);
  });
  const chosen = transcript.filter(([request]) => /"go_on"|"draw"|"step"/.test(request)).length;
  expect(same > 200 && chosen > 100, `${same} answers are the same, ${chosen} of them choose`);
  console.log(`${same} of ${transcript.length} answers are those of the native program, byte for byte`);
}

try {
  await chromium.resize(1280, 900);
  await chromium.until('document.documentElement?.dataset.ready === "yes"');
  await chromium.frames();
  if (option === '--screenshots') await take_screenshots(folder_of_screenshots);
  else {
    for (const part of [shows_a_step, big_files_are_read, sliders_change_the_chain, stages_move, results_are_spoken_after_a_pause,
                        refusals_are_no_moves, waiting_values_find_their_stage,
                        looks_follow_their_stage, fields_say_what_is_taken, stages_light_up, every_stage_and_control,
                        draws_and_goes_on, settings_are_read_and_written, grammars_grey_out, files_are_read,
                        odd_files_have_sentences, odd_rows_have_sentences, files_come_together, places_differ,
                        measure_updates, fits_narrow_and_dark, contrasts_suffice, everything_has_a_name,
                        compare_with_native, asks_for_nothing, an_end_is_said]) {
      const before = failed;
      await part();
      console.log(`${failed === before ? 'ok  ' : 'BAD '} ${part.name.replaceAll('_', ' ')}`);
    }
  }
  for (const error of chromium.errors) expect(false, `the page threw: ${error}`);
} finally {
  await chromium.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`tests run: ${passed + failed}`);
process.exit(failed ? 1 : 0);
