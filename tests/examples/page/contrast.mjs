// What WCAG 2.2 asks of contrast, computed of the elements as they are shown: an expression for the page, whose value is
// a list of sentences, one for each element that falls short.

function too_faint() {
  const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  /** Red, green, blue and opacity of any colour that CSS can write. */
  const channels = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue, opacity] = pen.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, opacity / 255];
  };
  const over = ([r, g, b, opacity], under) => [r, g, b].map((each, i) => each * opacity + under[i] * (1 - opacity));
  const light = (colour) => {
    const [r, g, b] = colour.map((each) => each / 255).map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const ground_of = (of) => over(channels(getComputedStyle(of).backgroundColor),
                                 of.parentElement ? ground_of(of.parentElement) : [255, 255, 255]);
  const opacity_of = (of) => Number(getComputedStyle(of).opacity) * (of.parentElement ? opacity_of(of.parentElement) : 1);
  const shown = (of, colour, ground) => { const [r, g, b, a] = channels(colour); return over([r, g, b, a * opacity_of(of)], ground); };
  const name_of = (of) => [of.tagName.toLowerCase(), of.id && `#${of.id}`, of.className && `.${of.className}`,
                           ` "${of.textContent.slice(0, 20)}"`].join('');

  const is_visible = (of) => of.checkVisibility({ opacityProperty: false, visibilityProperty: true }) &&
    !of.closest(':disabled, [aria-disabled=true], .hidden, .skip') && of.type !== 'file';
  const has_text = (of) => (of.matches('input, textarea, select') ? of.type !== 'range' && of.type !== 'checkbox'
    : [...of.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== ''));
  const wrong = [];
  let count = 0;
  const check = (of, what, colour, ground, least) => {
    ++count;
    const found = contrast(shown(of, colour, ground), ground);
    if (found < least) wrong.push(`${what} of ${name_of(of)}: ${found.toFixed(2)}, not ${least}`);
  };
  for (const of of document.body.querySelectorAll('*')) {
    if (!is_visible(of)) continue;
    if (has_text(of)) check(of, 'text', getComputedStyle(of).color, ground_of(of), 4.5);  // 1.4.3
    if (of.matches('input:not([type=range], [type=checkbox]), textarea, select'))
      check(of, 'border', getComputedStyle(of).borderTopColor, ground_of(of.parentElement), 3);  // 1.4.11
  }
  return { count, wrong: [...new Set(wrong)] };
}

export const contrasts = `(${too_faint})()`;
