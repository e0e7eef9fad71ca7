'use strict';
// The text so far: what it begins with, and the tokens that were chosen.

let last_text = { prompt: [], generated: [] };
let draws = null;  // of the token at this place: how many, and how often each

/** What came of it, where everybody can see and hear it. */
function tell(sentence) {
  at('outcome').textContent = sentence;
  speak(sentence);
}

function forget_draws() {
  draws = null;
  at('outcome').textContent = '';
}

function show_text(text) {
  last_text = text;
  const newest = text.generated.length - 1;
  const span = (className, token, textContent) => element('span', { className, title: `token ${token}`, textContent });
  at('so-far').replaceChildren(
    ...text.prompt.map(([token, characters]) => span('given', token, characters || `#${token}`)),
    ...text.generated.map(([token, characters], i) =>
      span(i === newest ? 'newest' : '', token, characters || ` #${token}`)));
  at('so-far').scrollTop = at('so-far').scrollHeight;
  at('back').disabled = text.generated.length === 0;
}

/** An answer with the text so far, if it is one. */
function take_text(answer) {
  if (answer?.generated) show_text(answer);
  forget_draws();
  schedule();
}

function begin_text() { take_text(ask({ do: 'begin', text: at('prompt').value })); }

const complete = 'the text is complete';  // session.cpp's word for an end as it should be

function go_on(count) {
  const before = last_text.generated.length;
  const answer = ask({ do: 'go_on', count });
  take_text(answer);
  if (!answer) return;
  const more = answer.generated.slice(before).map(([, characters]) => characters).join('');
  if (answer.ended === complete) at('outcome').textContent = 'The text is complete.';
  else if (answer.ended) complain(answer.ended);
  speak(answer.ended ? `${more}. ${answer.ended}` : more);
}

function draw_often(count) {
  const answer = ask({ do: 'draw', count });
  forget_draws();
  schedule();
  if (!answer?.counts) return;
  draws = { count: answer.count, counts: new Map(answer.counts) };
  const often = [...answer.counts].sort(([, a], [, b]) => b - a).slice(0, 3)
    .map(([token, times]) => `${shown_token(token)} ${grouped(times)}`);
  tell(`${grouped(answer.count)} draws, ${counted(answer.counts.length, 'token')}; most often: ${often.join(', ')}.`);
}

function set_up_text() {
  at('one').addEventListener('click', () => go_on(1));
  at('many').addEventListener('click', () => go_on(40));
  at('back').addEventListener('click', () => take_text(ask({ do: 'go_back' })));
  at('again').addEventListener('click', begin_text);
  at('prompt').addEventListener('input', begin_text);
  at('draws').addEventListener('click', () => draw_often(1000));
}
