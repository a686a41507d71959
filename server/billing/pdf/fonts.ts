import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { create, type Font } from 'fontkit';
import decompress from 'woff2-encoder/decompress';
import { type Face, faceOf } from './face.ts';
import { fixedWeight } from './fixed-weight.ts';

/**
 * The fonts that invoices are written in: Noto Sans, whose packages hold each family in files of a
 * few characters. A file is opened once a text needs it.
 */

/** The families by what they are for. */
const FAMILIES = {
  latin: 'noto-sans',
  arabic: 'vazirmatn',
  rareArabic: 'noto-sans-arabic',
  hebrew: 'noto-sans-hebrew',
  thai: 'noto-sans-thai',
  japanese: 'noto-sans-jp',
  chinese: 'noto-sans-sc',
  korean: 'noto-sans-kr',
};
type Family = keyof typeof FAMILIES;

const ALPHABETS: Family[] = ['latin', 'arabic', 'rareArabic', 'hebrew', 'thai'];
/** Chinese, Japanese and Korean share characters, and each draws them in its own way. */
const IDEOGRAPHS: Family[] = ['chinese', 'japanese', 'korean'];

export type Weight = 400 | 700;

/** Which font draws a grapheme; `undefined` if none does, or not in this weight. */
export type FaceFor = (grapheme: string, weight: Weight) => Face | undefined;

/** Opens the fonts that draw these texts. `country` decides how ideographs look. */
export async function fontsFor(texts: string[], country: string | undefined): Promise<FaceFor> {
  const all = [...texts, ALWAYS].join('\n');
  const families = [...ALPHABETS, ...ideographsOf(all, country)];
  const chosen = new Map<string, Face | undefined>();
  const choose = async (grapheme: string, weight: Weight) => {
    const key = `${weight} ${grapheme}`;
    if (!chosen.has(key))
      chosen.set(key, await search(weight === 700 ? ['latin'] : families, grapheme, weight));
    return chosen.get(key);
  };
  for (const { segment } of GRAPHEMES.segment(all)) {
    if ((await choose(segment, 400)) === undefined) await choose(baseOf(segment), 400);
    await choose(segment, 700);
  }
  return (grapheme, weight) => chosen.get(`${weight} ${grapheme}`);
}

/** The character that the others of a grapheme belong to. */
export const baseOf = (grapheme: string): string =>
  String.fromCodePoint(grapheme.codePointAt(0) as number);

export const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The character that stands for one that no font has. */
export const REPLACEMENT = '\ufffd';

/** What a text may need that does not contain it: brackets are mirrored from right to left. */
const ALWAYS = ` ()[]{}<>«»‹›${REPLACEMENT}`;

function ideographsOf(text: string, country: string | undefined): Family[] {
  let first: Family = 'chinese';
  if (country === 'JP' || /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text))
    first = 'japanese';
  else if (country === 'KR' || /\p{Script=Hangul}/u.test(text)) first = 'korean';
  return [first, ...IDEOGRAPHS.filter((family) => family !== first)];
}

// The first file that says it has all characters, and has.
async function search(
  families: readonly Family[],
  grapheme: string,
  weight: Weight,
): Promise<Face | undefined> {
  const characters = Array.from(grapheme, (one) => one.codePointAt(0) as number);
  for (const family of families)
    for (const { name, has } of await filesOf(family)) {
      if (!characters.every(has)) continue;
      const face = await open(family, name, weight);
      if (characters.every((one) => face.has(one))) return face;
    }
  return undefined;
}

interface File {
  name: string;
  /** Whether the package says that it has this character. */
  has(codePoint: number): boolean;
}

const files = new Map<Family, Promise<File[]>>();

function filesOf(family: Family): Promise<File[]> {
  let known = files.get(family);
  if (known === undefined) {
    known = readFiles(family);
    files.set(family, known);
  }
  return known;
}

async function readFiles(family: Family): Promise<File[]> {
  const ranges: Record<string, string> = JSON.parse(
    await readFile(join(folderOf(family), 'unicode.json'), 'utf8'),
  );
  return Object.entries(ranges).map(([name, written]) => {
    const parts = written.split(',').map((range) => {
      const [from = '', to = from] = range.replace(/^U\+/i, '').split('-');
      return [Number.parseInt(from, 16), Number.parseInt(to, 16)] as const;
    });
    return {
      name: name.replaceAll(/[[\]]/g, ''),
      has: (one) => parts.some(([from, to]) => from <= one && one <= to),
    };
  });
}

const folderOf = (family: Family): string =>
  dirname(
    createRequire(import.meta.url).resolve(`@fontsource-variable/${FAMILIES[family]}/unicode.json`),
  );

/** Open fonts, the one used last at the end. A few hundred kilobytes each. */
const faces = new Map<string, Face>();
const KEPT = 64;

async function open(family: Family, file: string, weight: Weight): Promise<Face> {
  const name = `${FAMILIES[family]}-${file}`;
  const key = `${name}-${weight}`;
  const face = faces.get(key) ?? (await read(family, name, weight));
  faces.delete(key);
  faces.set(key, face);
  for (const oldest of faces.keys()) {
    if (faces.size <= KEPT) break;
    faces.delete(oldest);
  }
  return face;
}

async function read(family: Family, name: string, weight: Weight): Promise<Face> {
  const packed = await readFile(join(folderOf(family), 'files', `${name}-wght-normal.woff2`));
  const font = create(await fixedWeight(await decompress(packed), weight)) as Font;
  return faceOf(font, `${name}-${weight}`);
}
