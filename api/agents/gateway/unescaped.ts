/**
 * A text without the escapes of JSON, of XML and of addresses: of two within each other, the outer
 * one is read. Line breaks and zeros are left out. It takes time in proportion to the text, because
 * a server may answer whatever it likes.
 */
export function unescaped(text: string): string {
  const units = new Uint16Array(text.length);
  let end = 0;
  const write = (unit: number) => {
    if (unit === 0 || unit === 0x0a || unit === 0x0d) return;
    units[end] = unit;
    end += 1;
  };
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    const read = READERS.get(code)?.(text, at);
    if (read === undefined) write(code);
    else for (let i = 0; i < read.text.length; i += 1) write(read.text.charCodeAt(i));
    at += read?.length ?? 1;
  }
  return Buffer.from(units.buffer, 0, end * 2).toString('utf16le');
}

/** What an escape says, and how long it is; undefined if none begins there. */
type Reader = (text: string, at: number) => { text: string; length: number } | undefined;

const LETTERS = new Map(Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }));
const NAMED = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));

const ofJson: Reader = (text, at) => {
  const letter = text.charAt(at + 1);
  const unit = letter === 'u' ? hexAt(text, at + 2, 4) : -1;
  if (unit >= 0) return { text: String.fromCharCode(unit), length: 6 };
  return letter === '' ? undefined : { text: LETTERS.get(letter) ?? letter, length: 2 };
};

const ENTITY = /&([#\w]+);/y;

const ofXml: Reader = (text, at) => {
  ENTITY.lastIndex = at;
  const name = ENTITY.exec(text)?.[1];
  const said = name === undefined ? undefined : (NAMED.get(name) ?? numbered(name));
  return said === undefined ? undefined : { text: said, length: (name as string).length + 2 };
};

function numbered(name: string): string | undefined {
  const [, hex, decimal = `0x${hex}`] = /^#(?:x([\da-f]+)|(\d+))$/i.exec(name) ?? [];
  const point = Number(decimal);
  return point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}

/** Many in a row are the bytes of one text. */
const ofAddresses: Reader = (text, at) => {
  const bytes: number[] = [];
  for (let next = at; text.charAt(next) === '%'; next += 3) {
    const byte = hexAt(text, next + 1, 2);
    if (byte < 0) break;
    bytes.push(byte);
  }
  return bytes.length === 0
    ? undefined
    : { text: Buffer.from(bytes).toString(), length: bytes.length * 3 };
};

const READERS = new Map<number, Reader>([
  [0x5c, ofJson],
  [0x26, ofXml],
  [0x25, ofAddresses],
]);

/** The number that so many hexadecimal digits are; -1 if they are none. */
function hexAt(text: string, at: number, digits: number): number {
  let value = 0;
  for (let i = at; i < at + digits; i += 1) {
    const digit = digitOf(text.charCodeAt(i));
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
