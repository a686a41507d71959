/**
 * Takes the escapes of JSON, of XML and of addresses out of a text: of two within each other, the
 * outer one is read. White space and zeros are left out, too. A server may answer whatever it likes,
 * so this takes time in proportion to the text, and is done in steps.
 */
interface Passage {
  /** UTF-16. What has been read is written over its beginning, because no escape becomes longer. */
  units: Uint16Array;
  /** How much of it has been read, and written. */
  at: number;
  to: number;
  end: number;
  /** Whether there was an escape so far. */
  escaped: boolean;
}

export const passageOf = (units: Uint16Array, end = units.length): Passage => ({
  units,
  at: 0,
  to: 0,
  end,
  escaped: false,
});

/** Reads on up to `until`, or a little farther where an escape ends there. */
export function readOn(passage: Passage, until: number): void {
  const { units, end } = passage;
  const bound = Math.min(until, end);
  let { at, to } = passage;
  while (at < bound) {
    const code = units[at] as number;
    const kind = code < 128 ? KINDS[code] : LETTER;
    if (kind === LETTER) {
      units[to] = code;
      to += 1;
      at += 1;
    } else if (kind === BLANK) at += 1;
    else {
      const read = kind === JSON_ESCAPE ? ofJson : kind === ENTITY ? ofXml : ofAddress;
      const length = read(units, at, end);
      passage.escaped ||= length > 0;
      at += length || 1;
      to = write(units, to, length === 0 ? code : said);
    }
  }
  passage.at = at;
  passage.to = to;
}

/** Leaves out white space, and zeros: UTF-16 has one beside each letter. */
export function withoutBlanks(text: string): string {
  return text.replaceAll(/[\0\t-\r ]+/g, '');
}

export function unescaped(text: string): string {
  const passage = passageOf(unitsOf(text));
  readOn(passage, passage.end);
  return textOf(passage.units, 0, passage.to);
}

export const unitsOf = (text: string): Uint16Array => {
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, 'utf16le');
  return units;
};

export const textOf = ({ buffer }: Uint16Array, from: number, to: number): string =>
  Buffer.from(buffer, from * 2, (to - from) * 2).toString('utf16le');

const [LETTER, BLANK, JSON_ESCAPE, ENTITY, PERCENT] = [0, 1, 2, 3, 4] as const;

const KINDS = new Uint8Array(128);
for (const code of [0, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20]) KINDS[code] = BLANK;
KINDS[0x5c] = JSON_ESCAPE;
KINDS[0x26] = ENTITY;
KINDS[0x25] = PERCENT;

/** The code point of the escape that was read last: an object for each would cost more than it. */
let said = 0;

function write(units: Uint16Array, to: number, point: number): number {
  if (point < 128 && KINDS[point] === BLANK) return to;
  if (point <= 0xffff) {
    units[to] = point;
    return to + 1;
  }
  units[to] = 0xd800 + ((point - 0x10000) >> 10);
  units[to + 1] = 0xdc00 + (point & 0x3ff);
  return to + 2;
}

/** How long the escape is that begins here, 0 if none does; what it says is in `said`. */
type Reader = (units: Uint16Array, at: number, end: number) => number;

const LETTERS = new Uint8Array(128).map((_, code) => code);
for (const [letter, meant] of Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }))
  LETTERS[letter.charCodeAt(0)] = meant.charCodeAt(0);

const ofJson: Reader = (units, at, end) => {
  if (at + 1 >= end) return 0;
  const letter = units[at + 1] as number;
  const unit = letter === 0x75 && at + 5 < end ? hexAt(units, at + 2, 4) : -1;
  said = unit >= 0 ? unit : letter < 128 ? (LETTERS[letter] as number) : letter;
  return unit >= 0 ? 6 : 2;
};

const NAMED = Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }).map(
  ([name, character]) => ({ name: unitsOf(`${name};`), point: character.charCodeAt(0) }),
);

const ofXml: Reader = (units, at, end) => {
  const first = at + 1 < end ? (units[at + 1] as number) : 0;
  if (first === 0x23) return ofNumber(units, at, end);
  if (first < 0x61 || first > 0x71) return 0;
  for (const { name, point } of NAMED) {
    let i = 0;
    while (i < name.length && at + 1 + i < end && units[at + 1 + i] === name[i]) i += 1;
    if (i < name.length) continue;
    said = point;
    return name.length + 1;
  }
  return 0;
};

const ofNumber: Reader = (units, at, end) => {
  const base = ((units[at + 2] ?? 0) | 0x20) === 0x78 ? 16 : 10;
  const first = at + (base === 16 ? 3 : 2);
  let [point, next] = [0, first];
  for (; next < end && point <= 0x10ffff; next += 1) {
    const digit = digitOf(units[next] as number);
    if (digit < 0 || digit >= base) break;
    point = point * base + digit;
  }
  if (next === first || next >= end || units[next] !== 0x3b || point > 0x10ffff) return 0;
  said = point;
  return next - at + 1;
};

/** As many as are the bytes of one character. */
const ofAddress: Reader = (units, at, end) => {
  const lead = byteAt(units, at, end);
  if (lead < 0) return 0;
  const more = lead < 0xc2 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 0;
  let point = more === 0 ? lead : lead & (0x3f >> more);
  for (let i = 1; i <= more; i += 1) {
    const byte = byteAt(units, at + 3 * i, end);
    if ((byte & 0xc0) !== 0x80 || byte < 0) point = 0x110000;
    else point = point * 64 + (byte & 0x3f);
  }
  const valid = point <= 0x10ffff && (more > 0 || lead < 0x80);
  said = valid ? point : 0xfffd;
  return valid ? 3 * (more + 1) : 3;
};

const byteAt = (units: Uint16Array, at: number, end: number): number =>
  at + 2 < end && units[at] === 0x25 ? hexAt(units, at + 1, 2) : -1;

/** The number that so many hexadecimal digits are; -1 if they are none. */
function hexAt(units: Uint16Array, at: number, digits: number): number {
  let value = 0;
  for (let i = at; i < at + digits; i += 1) {
    const digit = digitOf(units[i] as number);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
