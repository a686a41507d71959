import { domainToASCII, domainToUnicode } from 'node:url';
import { counted, type Reading, refuse } from './reader.ts';
import { STRING_TYPE, STRING_UNICODE } from './text.ts';

/**
 * E-mail addresses, with the error messages of Python's `email-validator`, which Pydantic v2 uses.
 * Only the form is checked: unlike there, domains reserved for tests (`example.test`) are accepted.
 */

const MAX_BYTES = 254;
const MAX_DOMAIN = 253;
const MAX_LABEL = 63;
const MAX_LISTED = 10;
/** Pydantic refuses longer text without looking at it. */
const MAX_CHARACTERS = 2048;

const LOCAL_CHARACTER = /[.\w!#$%&'*+\-/=?^`{|}~\u{80}-\u{10ffff}]/u;
const DOMAIN_CHARACTER = /[a-zA-Z0-9\-.\u{80}-\u{10ffff}]/u;
/** Control, format, private-use and unassigned characters, and separators. */
const UNSAFE = /[\p{C}\p{Z}]/u;

/** The parts of an address, or the reason why the text is not one. */
type Parsed = { reason: string } | { local: string; domain: string };

function parse(text: string): Parsed {
  if (text.length > MAX_CHARACTERS)
    return { reason: `Length must not exceed ${MAX_CHARACTERS} characters` };
  const at = text.indexOf('@');
  if (at < 0) return { reason: 'An email address must have an @-sign.' };
  const local = text.slice(0, at);
  const reason = localFault(local);
  if (reason !== undefined) return { reason };
  const parsed = parseDomain(text.slice(at + 1));
  if ('reason' in parsed) return parsed;
  const tooMany = Buffer.byteLength(`${local}@${parsed.ascii}`) - MAX_BYTES;
  if (tooMany > 0) return { reason: `The email address is too long ${excess(tooMany)}.` };
  return { local, domain: parsed.domain };
}

function localFault(local: string): string | undefined {
  if (local.startsWith('"')) return 'Quoting the part before the @-sign is not allowed here.';
  if (local === '') return 'There must be something before the @-sign.';
  const bad = charactersOutside(LOCAL_CHARACTER, local);
  if (bad) return `The email address contains invalid characters before the @-sign: ${bad}.`;
  if (local.startsWith('.')) return 'An email address cannot start with a period.';
  if (local.endsWith('.'))
    return 'An email address cannot have a period immediately before the @-sign.';
  return doubledPeriod(local) ?? unsafeFault(local);
}

function parseDomain(domain: string): { reason: string } | { ascii: string; domain: string } {
  const reason = domainFault(domain);
  if (reason !== undefined) return { reason };
  // ASCII is not converted, because the conversion would read `1.2.3` as an IP address.
  const ascii = isAscii(domain) ? domain.toLowerCase() : domainToASCII(domain);
  const shown = ascii.includes('xn--') ? domainToUnicode(ascii) : ascii;
  // A label that is not valid IDNA is left unconverted.
  if (ascii === '' || /(?:^|\.)xn--/.test(shown))
    return { reason: 'The part after the @-sign is not valid IDNA.' };
  const converted = punctuationFault(shown) ?? asciiDomainFault(ascii);
  return converted === undefined ? { ascii, domain: shown } : { reason: converted };
}

function domainFault(domain: string): string | undefined {
  if (domain === '') return 'There must be something after the @-sign.';
  if (domain.startsWith('[')) return 'A bracketed IP address after the @-sign is not allowed here.';
  const bad = charactersOutside(DOMAIN_CHARACTER, domain);
  if (bad) return `The part after the @-sign contains invalid characters: ${bad}.`;
  return unsafeFault(domain);
}

function punctuationFault(domain: string): string | undefined {
  for (const [sign, name] of [
    ['.', 'period'],
    ['-', 'hyphen'],
  ] as const) {
    if (domain.endsWith(sign)) return `An email address cannot end with a ${name}.`;
    if (domain.startsWith(sign))
      return `An email address cannot have a ${name} immediately after the @-sign.`;
  }
  const doubled = doubledPeriod(domain);
  if (doubled !== undefined) return doubled;
  if (/\.-|-\./.test(domain))
    return 'An email address cannot have a period and a hyphen next to each other.';
  return undefined;
}

function asciiDomainFault(domain: string): string | undefined {
  if (domain.length > MAX_DOMAIN) {
    const tooMany = excess(domain.length - MAX_DOMAIN);
    return `The email address is too long after the @-sign ${tooMany}.`;
  }
  const label = domain.split('.').find((each) => each.length > MAX_LABEL);
  if (label !== undefined) {
    const tooMany = excess(label.length - MAX_LABEL);
    return `After the @-sign, periods cannot be separated by so many characters ${tooMany}.`;
  }
  if (!domain.includes('.'))
    return 'The part after the @-sign is not valid. It should have a period.';
  if (!/[a-z]$/.test(domain))
    return 'The part after the @-sign is not valid. It is not within a valid top-level domain.';
  return undefined;
}

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

const excess = (tooMany: number): string => `(${counted(tooMany, 'character')} too many)`;

const doubledPeriod = (text: string): string | undefined =>
  text.includes('..') ? 'An email address cannot have two periods in a row.' : undefined;

function unsafeFault(text: string): string | undefined {
  const unsafe = listed(Array.from(text).filter((character) => UNSAFE.test(character)));
  return unsafe && `The email address contains unsafe characters: ${unsafe}.`;
}

const charactersOutside = (allowed: RegExp, text: string): string | undefined =>
  listed(Array.from(text).filter((character) => !allowed.test(character)));

/** The distinct characters, at most ten of them; undefined if there are none. */
function listed(characters: string[]): string | undefined {
  if (characters.length === 0) return undefined;
  const each = [...new Set(characters)].slice(0, MAX_LISTED);
  return each.map(display).sort().join(', ');
}

function display(character: string): string {
  if (character === ' ') return 'SPACE';
  if (character === '\\') return '"\\"';
  if (!UNSAFE.test(character)) return `'${character}'`;
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Reads an e-mail address. The handler gets it trimmed, in NFC, with its domain in lower case; the
 * part before the `@` keeps its case.
 */
export function readEmail(value: unknown): Reading {
  if (typeof value !== 'string') return STRING_TYPE;
  if (!value.isWellFormed()) return STRING_UNICODE;
  const parsed = parse(value.trim().normalize('NFC'));
  if ('local' in parsed) return { value: `${parsed.local}@${parsed.domain}` };
  const { reason } = parsed;
  return refuse('value_error', `value is not a valid email address: ${reason}`, { reason });
}
