import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

/** That text can be read on what it stands on, in both schemes: the tokens, not samples of pages. */

type Rgb = [number, number, number];
type Scheme = 'light' | 'dark';

const TOKENS = await readFile(join(import.meta.dirname, '../src/tokens.css'), 'utf8');

/** Linear parts of red, green and blue (CSS Color 4, 10.1 and its matrices of Oklab). */
function linear([lightness = 0, chroma = 0, hue = 0]: number[]): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const parts = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((part) => Math.min(1, Math.max(0, part)));
  return parts as Rgb;
}

function colorOf(name: string, scheme: Scheme): Rgb {
  const [, value = ''] = new RegExp(`--color-${name}: (.*);`).exec(TOKENS) ?? [];
  const both = [...value.matchAll(/oklch\(([\d. ]+)\)/g)].map(([, parts = '']) => parts);
  assert.ok(both.length > 0, `no colour ${name}`);
  const parts = (scheme === 'dark' ? both.at(-1) : both[0]) as string;
  return linear(parts.split(' ').map(Number));
}

function contrast(text: string, ground: string, scheme: Scheme): number {
  const luminance = ([red, green, blue]: Rgb) => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const [one, other] = [colorOf(text, scheme), colorOf(ground, scheme)].map(luminance);
  const [light = 0, dark = 0] = [one, other].sort((a = 0, b = 0) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const GROUNDS = ['canvas', 'surface', 'raised', 'tint'];
const STATES = ['waiting', 'working', 'done', 'wrong'];
const PAIRS = [
  ...['text', 'muted', 'link'].flatMap((text) => GROUNDS.map((ground) => [text, ground])),
  ...STATES.flatMap((state) => [`${state}-tint`, 'canvas', 'surface'].map((on) => [state, on])),
  ...STATES.map((state) => ['text', `${state}-tint`]),
  ...['accent', 'accent-strong', 'danger'].map((ground) => ['on-accent', ground]),
];

for (const scheme of ['light', 'dark'] as const) {
  test(`text has a contrast of at least 4.5 on what it stands on, ${scheme}`, () => {
    const low = PAIRS.map(([text = '', ground = '']) => ({
      pair: `${text} on ${ground}`,
      is: contrast(text, ground, scheme),
    })).filter(({ is }) => is < 4.5);
    assert.deepEqual(low, []);
  });

  test(`the edge of a field and the accent have a contrast of at least 3, ${scheme}`, () => {
    for (const line of ['edge', 'accent', 'link'])
      for (const ground of ['canvas', 'surface'])
        assert.ok(contrast(line, ground, scheme) >= 3, `${line} on ${ground}`);
  });
}

test('the mark of the favicon is that of the pages, before and after their scripts, in the accent', async () => {
  const read = (file: string) => readFile(join(import.meta.dirname, '..', file), 'utf8');
  const outline = (text: string) => / d="(M[^"]+)"/.exec(text)?.[1];
  const [icon, mark] = [await read('public/icon.svg'), await read('src/ui/mark.tsx')];
  assert.ok(outline(icon));
  assert.equal(outline(icon), outline(mark));
  assert.equal(outline(icon), outline(await read('index.html')));
  const [, fill = ''] = /<rect[^>]* fill="#(\w{6})"/.exec(icon) ?? [];
  const wanted = colorOf('accent', 'light').map((part) =>
    Math.round(255 * (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055)),
  );
  assert.equal(fill, Buffer.from(wanted).toString('hex'));
});
