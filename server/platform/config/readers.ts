import { createPrivateKey, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import Type, { type Static, type TSchema } from 'typebox';
import { ErrorList } from '../../http/input/error-item.ts';
import { readerOf } from '../../http/input/readers/compile.ts';

/** How the text of one environment variable becomes a value. */
export interface Reader<Value> {
  /** Returns undefined when the text is not acceptable. */
  parse(text: string): Value | undefined;
  /** Completes the sentence "NAME must be …". */
  mustBe: string;
  /** The text may hold a password, so no message repeats it. */
  secret?: true;
  /** What of such a text may be shown; nothing by default. */
  shown?(text: string): string;
}

/** What the schema makes of a value, read as those of requests are; undefined for any fault. */
export function accepts<Schema extends TSchema>(schema: Schema, place: 'query' | 'body') {
  const read = readerOf(schema, place);
  return (value: unknown): Static<Schema> | undefined => {
    const errors = new ErrorList();
    const result = read(value, [], errors);
    return errors.count === 0 ? (result as Static<Schema>) : undefined;
  };
}

const from = <Schema extends TSchema>(schema: Schema, mustBe: string): Reader<Static<Schema>> => ({
  parse: accepts(schema, 'query'),
  mustBe,
});

export const wholeNumber = (
  minimum: number,
  maximum: number,
  mustBe = `a whole number from ${minimum} to ${maximum}`,
): Reader<number> => ({
  // Digits alone: what a query takes besides, such as `+80` or `80.0`, is a slip here.
  parse: (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    return number >= minimum && number <= maximum ? number : undefined;
  },
  mustBe,
});

export const oneOf = <Words extends string[]>(...words: Words): Reader<Words[number]> =>
  from(
    Type.Unsafe<Words[number]>({ type: 'string', enum: words }),
    words.length === 2 ? words.join(' or ') : `one of ${words.join(', ')}`,
  );

export const matching = (pattern: string, mustBe: string) => from(Type.String({ pattern }), mustBe);

export const shortText = (most: number) =>
  matching(`^\\P{Cc}{0,${most}}$`, `text of at most ${most} characters`);

export const text: Reader<string> = { parse: (value) => value, mustBe: 'text' };

/** Names of environment variables, separated by commas. */
export const variableNames: Reader<string[]> = {
  parse: (value) => {
    const names = value.split(',').map((name) => name.trim());
    return names.every((name) => /^[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(name)) && names.length <= 100
      ? [...new Set(names)]
      : undefined;
  },
  mustBe: 'names of environment variables, separated by commas',
};

/** Its form is checked together with other settings. */
export const secretText: Reader<string> = { ...text, secret: true };

export const port = wholeNumber(0, 65_535);
export const days = wholeNumber(1, 36_500);
export const milliseconds = wholeNumber(100, 600_000);
export const perMinute = wholeNumber(1, 1_000_000_000);

/** What signs and seals is long enough not to be guessed. */
export const longSecret: Reader<string> = {
  parse: (value) => (value.length >= 32 ? value : undefined),
  mustBe: 'at least 32 characters long',
  secret: true,
};

/** What commas separate. */
export const parts = (value: string) => value.split(',').map((part) => part.trim());

/** An address without its trailing slashes. It may hold a login. */
export function url(...protocols: string[]): Reader<string> {
  return {
    parse: (value) => {
      const parsed = URL.parse(value);
      if (parsed === null || !protocols.includes(parsed.protocol)) return undefined;
      // Mostly of a password: what is before it would be taken for the host, and named in errors.
      if (value.includes('#')) return undefined;
      return value.replace(/\/+$/, '');
    },
    mustBe:
      `an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}` +
      (protocols.some((p) => /^(http|unix):/.test(p))
        ? ''
        : ' (in its password, / is %2F, ? is %3F and # is %23)'),
    secret: true,
    shown: withoutLogin,
  };
}

/** Some of them, separated by commas; a comma in a password is written as %2C. */
export function urls(...protocols: string[]): Reader<string[]> {
  const each = url(...protocols);
  return {
    parse: (value) => {
      const all = parts(value).map(each.parse);
      return all.includes(undefined) ? undefined : (all as string[]);
    },
    mustBe: `${each.mustBe}, or several of them, separated by commas`,
    secret: true,
    shown: (text) => parts(text).map(withoutLogin).join(','),
  };
}

/** A query may hold a password, too. */
function withoutLogin(text: string): string {
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`;
}

export const webAddress = url('http:', 'https:');

/** An absolute path; a relative one counts from the working directory. */
export const path: Reader<string> = { parse: (value) => resolve(value), mustBe: 'a path' };

export const usd: Reader<number> = {
  parse: (value) =>
    /^\d{1,8}(\.\d{1,2})?$/.test(value) && Number(value) >= 0.01 ? Number(value) : undefined,
  mustBe: 'an amount in USD with at most two decimals',
};

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Durations in milliseconds, each longer than the one before. */
export const increasingDurations: Reader<number[]> = {
  parse: (value) => {
    const all = parts(value).map((part) => {
      const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(part) ?? [];
      return Number(count) * UNITS[unit as keyof typeof UNITS];
    });
    return all.every((duration, i) => duration > (all[i - 1] ?? 0)) ? all : undefined;
  },
  mustBe: 'increasing durations such as 15s,2m,1h',
};

export const networks: Reader<string[]> = {
  parse: (value) => {
    const all = parts(value);
    return all.every(isNetwork) ? all : undefined;
  },
  mustBe: 'addresses or networks such as 10.0.0.0/8, separated by commas',
};

/**
 * An address, or a network in CIDR notation. A prefix of 0 bits would trust every address there is.
 */
function isNetwork(value: string): boolean {
  const [, address = '', bits] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(value) ?? [];
  const version = isIP(address);
  if (version === 0 || bits === undefined) return version !== 0;
  return Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128);
}

/** What Docker and Kubernetes both take as a part of a name. */
export const label = matching(
  '^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$',
  '1 to 40 lower-case letters, digits and hyphens',
);

export const appId: Reader<number> = {
  parse: (value) => (/^[1-9]\d{0,14}$/.test(value) ? Number(value) : undefined),
  mustBe: 'the App ID that the settings of the GitHub App show',
};

export const rsaKey: Reader<KeyObject> = {
  parse: (value) => {
    try {
      const key = createPrivateKey(value.replaceAll('\\n', '\n'));
      const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
      return key.asymmetricKeyType === 'rsa' && modulusLength >= 2048 ? key : undefined;
    } catch {
      // Its message could quote the text.
      return undefined;
    }
  },
  mustBe: 'the private key of the GitHub App: a PEM file, on one line with \\n for line ends',
  secret: true,
};
