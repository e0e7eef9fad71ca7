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
const chromium = await Chromium.open('chromium', `${pathToFileURL(resolve(page))}#record`);
const value = (expression) => chromium.value(expression);
const text_of = (selector) => value(`document.querySelector(${JSON.stringify(selector)}).textContent`);
const names = () => value('chain_view.stages.map(({ name }) => name).join()');
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
  const before = await value('engine.transcript.length');
  await chromium.choose('#file', [path]);
  await chromium.until(`engine.transcript.length > ${before} || document.querySelector('#problem').textContent !== ''`);
  await chromium.frames();
}

async function shows_a_step() {
  expect_equal(await names(), 'penalties,top_k,top_p,min_p,temperature,dist', 'the chain at the beginning');
  expect(/^[\d,]+ → 40$/.test(await count_of(1)), 'top_k leaves 40 tokens');
  expect((await value('document.querySelectorAll("#tokens tr").length')) >= 40, 'forty tokens are shown');
  expect(/^▸/.test(await text_of('#tokens .chosen th')), 'the chosen token is marked');
  expect((await value('[...document.querySelectorAll("#tokens .fallen .fate")].filter((of) => of.textContent.startsWith("fell to ")).length')) > 20,
         'tokens that fell say to which stage');
  expect(/^1 |^chain/m.test(await text_of('#plan')), 'the plan is there');
  expect_equal(await value('document.querySelector("#settings").value'),
               'penalty_last_n=64;penalty_repeat=1.1;penalty_freq=0;penalty_present=0;top_k=40;top_p=0.95;min_p=0.05;temp=0.8;seed=42',
               'the settings of the first chain');
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
  expect(await value('document.activeElement.className === "grip" && document.activeElement.closest("li") === document.querySelector("#stages > :nth-child(3)")'),
         'the focus stays with the stage that moved');
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
        await value(`(() => { const of = document.querySelector('${control_of}'); of.stepUp(7); of.dispatchEvent(new Event('input')); })()`);
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
  await choose_option('#preset', 'steady surprise');
  await choose_option('#catalogue', 'skew');
  await value('document.querySelector("#add").requestSubmit()');
  await chromium.frames();
  expect(/skew/.test(await text_of('#settings-note')), 'what settings cannot say is said');
}

async function grammars_grey_out() {
  await choose_option('#preset', 'a grammar');
  await set_field('#prompt', '');
  await chromium.click('#many');
  const said = await text_of('#so-far');
  expect(/^The (cat|crow|goose) (slept|laughed|said [a-z ]{3,12})\.$/.test(said), `the text keeps to the grammar: ${said}`);
  await choose_option('#preset', 'a grammar');
  await chromium.click('#again');
  await value('document.querySelector("#stage-0-grammar").value = ""');
  await set_field('#stage-0-grammar', 'root ::= "y');
  expect(/\d+:\d+/.test(await problem_at(0, 'grammar')), `a grammar that is not one: ${await problem_at(0, 'grammar')}`);
  await value('document.querySelector("#stage-0-grammar").value = ""');
  await set_field('#stage-0-grammar', 'root ::= "yes" | "no"');
  expect_equal(await problem_at(0, 'grammar') + await problem(), '', 'and one that is');
  expect(/next byte: \[ny\]/.test(await text_of('#stages > :nth-child(1) .fell')) || /fell here/.test(await text_of('#stages > :nth-child(1) .fell')), 'what may come next');
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
  await enter('#row-size', '1001');
  expect(/no whole number of rows/.test(await problem()), 'a length that does not fit has a sentence');
  await enter('#row-size', '1000');
  expect(/2 rows of 1,000 float32/.test(await text_of('#source')), `rows of float32: ${await text_of('#source')}`);
  await enter('#row-number', '2');
  expect_equal(await problem(), '', 'the second row');
  await drop_file('rows.f16', float16_of(row));
  expect(/1 row of 1,000 float16/.test(await text_of('#source')), `rows of float16: ${await text_of('#source')}`);
  await drop_file('tokenizer.json', JSON.stringify(little_tokenizer(1000)));
  expect(await value('step_view.texts[300] === " w300" && step_view.texts[999] === "<end>"'), 'the texts of a tokenizer.json');
  await drop_file('answer.json', JSON.stringify(answer_of_server()));
  expect(/3 places/.test(await text_of('#source')), `an answer of llama-server: ${await text_of('#source')}`);
  expect_equal(await value('step_view.step.curve.at(-1)[0]'), 4, 'four tokens are legal there');
  await drop_file('odd.bin', Buffer.from([0, 255, 254]));
  expect(/no whole number of rows/.test(await problem()), 'an odd file has a sentence');
}

async function fits_narrow_and_dark() {
  for (const width of [320, 400, 768, 1280]) {
    await chromium.resize(width, 800);
    expect(await value('document.documentElement.scrollWidth <= innerWidth'), `nothing sticks out at ${width}`);
  }
  // WCAG 2.2, 1.4.3: text has a contrast of 4.5 at least
  const contrasts = `(() => {
    const style = getComputedStyle(document.documentElement);
    const light = (name) => {
      const channels = style.getPropertyValue('--' + name).trim().slice(1).match(/../g).map((each) => parseInt(each, 16) / 255)
        .map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
      return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2];
    };
    const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    return ['ink', 'faint', 'chain', 'bad', ...Array.from({ length: 8 }, (_, i) => 'stage-' + i)]
      .flatMap((name) => ['back', 'panel'].map((under) => [name, under, contrast(name, under)]));
  })()`;
  for (const scheme of ['light', 'dark']) {
    await chromium.prefer(scheme);
    for (const [name, under, contrast] of await value(contrasts))
      expect(contrast >= 4.5, `${scheme}: ${name} on ${under} has a contrast of ${contrast.toFixed(2)}`);
  }
  await chromium.prefer('light');
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

/** Updates while a slider moves over a row of 32,000 logits: reported, since machines differ. */
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
  await chromium.until('document.documentElement.dataset.ready === "yes"');
  await chromium.frames();
  if (option === '--screenshots') await take_screenshots(folder_of_screenshots);
  else {
    for (const part of [shows_a_step, sliders_change_the_chain, stages_move, every_stage_and_control, draws_and_goes_on,
                        settings_are_read_and_written, grammars_grey_out, files_are_read, fits_narrow_and_dark,
                        everything_has_a_name, measure_updates, compare_with_native]) {
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
