import { setImmediate } from 'node:timers/promises';

/**
 * The one place that removes secrets from texts that people read: logs of this server, of pods,
 * checks and deploys, and errors that quote another program. It hides values that the caller knows
 * to be secret, and what has the exact form of a key of a well-known service. It does not guess from
 * words around a value: `password: expected 3` is an ordinary line of a test.
 */

/** What stands in the place of a secret. */
export const HIDDEN = '***';

/** A shorter value is a word of ordinary texts, too; so is a shorter part of an encoded one. */
export const SHORTEST_SECRET = 8;

// In JSON, a line break or a colour before a key ends with a letter; in a URL, a space with 20.
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]|\[[\d;]{0,20}m|%[0-9A-Fa-f]{2}))`;

/** Forms of keys, each as how it begins, which stays to be read, and what follows. */
const FORMATS: readonly (readonly [beginning: string, rest: string])[] = [
  ['gld_', '[0-9A-Za-z]{38}'],
  // Of connected applications: access tokens, codes, refresh tokens.
  ['gl[oc]_', String.raw`[\w-]{43}`],
  ['glr_', String.raw`[\w-]{86}`],
  // GitHub; the token of an installation may also be a number and a JWT.
  ['gh[oprsu]_', String.raw`(?:[0-9A-Za-z]{36,}|\d+_eyJ[\w-]+\.[\w-]+\.[\w-]+)`],
  ['github_pat_', '[0-9A-Za-z]{22}_[0-9A-Za-z]{59}'],
  ['glpat-', '[0-9A-Za-z_-]{20,}'],
  // Stripe; it shows a key that it refuses with asterisks in it.
  ['[sr]k_(?:live|test|org)_', String.raw`[\w*]{10,}`],
  ['whsec_', '[0-9A-Za-z+/=]{16,}'],
  // Anthropic, OpenRouter, OpenAI, and those who write theirs as OpenAI did at first.
  [String.raw`${START}sk-ant-[a-z]+\d\d-`, String.raw`[\w-]{40,}`],
  [`${START}sk-or-v1-`, '[0-9a-f]{64}'],
  [`${START}sk-(?:proj|svcacct|admin)-`, String.raw`[\w-]{40,}`],
  [`${START}sk-`, '[0-9A-Za-z]{32,}'],
  [`${START}AIza`, String.raw`[\w-]{35}`],
  [`${START}(?:AKIA|ASIA)`, '[A-Z2-7]{16}'],
  [`${START}xox[abeoprs]-`, String.raw`\d{8,}-[0-9A-Za-z-]{10,}`],
  [`${START}hf_`, '[0-9A-Za-z]{34,}'],
  [`${START}npm_`, '[0-9A-Za-z]{36}'],
  // A JWT: its header and its claims are objects of JSON.
  [`${START}eyJ`, String.raw`[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}`],
  // JSON joins the lines of a private key. Its end may have been cut off, or be still to come.
  [
    '-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----',
    String.raw`(?:(?:[^-]|-(?!----)){0,16000}-----END (?:[A-Z]+ )*PRIVATE KEY-----|(?:(?:\s|\\[nr])*[0-9A-Za-z+/=]{40,})+)`,
  ],
  // The password of an address.
  [String.raw`:\/\/[^\s/:@"']{0,200}:`, String.raw`[^\s/@"']{1,500}(?=@)`],
];
const FORMAT = new RegExp(FORMATS.map(([begins, rest]) => `(${begins})${rest}`).join('|'), 'g');
const MASKED = FORMATS.map((_, index) => `$${index + 1}`).join('') + HIDDEN;
const OPEN = new RegExp(
  FORMATS.slice(0, -2)
    .map(([begins]) => String.raw`${begins}[\w.+/=*-]*$`)
    .concat('-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[^-]{0,16000}(?:-----[A-Z ]*)?-{0,4}$')
    .join('|'),
);

/** Hides secrets in a text. With `growing`, also what may be the beginning of one at its end. */
export type Hide = (text: string, options?: { growing?: boolean }) => string;

/**
 * Hides these values, whatever they look like, and keys of well-known services. A value is found as
 * it is, percent-encoded, escaped for JSON or XML, in hexadecimal digits and in Base64 whatever
 * stands before it, also where a line break divides it. JSON stays valid.
 */
export function hiding(known: Iterable<string>): Hide {
  const { forms, hide } = valuesOf(known);
  return (text, { growing = false } = {}) => {
    const shown = hide(text).replace(FORMAT, MASKED);
    const open = OPEN.exec(shown)?.index ?? shown.length;
    return growing ? shown.slice(0, Math.min(open, openFrom(shown, forms, SHORTEST_OPEN))) : shown;
  };
}

/** Hides known values, and nothing that only looks like a secret: for texts that people act on. */
export interface ValueHiding {
  (text: string): string;
  /** The same for a large text, which leaves other work of this process its turn. */
  large(text: string): Promise<string>;
  /** Begins a text that comes in pieces. */
  inPieces(): HiddenPieces;
}

interface HiddenPieces {
  /** What can be shown by now: the end of it may be the beginning of a value, and is kept. */
  add(piece: string): string;
  /** What was kept; the next piece begins another text. */
  end(): string;
}

/** In the forms in which `hiding` finds them. */
export function hidingValues(known: Iterable<string>): ValueHiding {
  const { forms, hide, large } = valuesOf(known);
  return Object.assign(hide, { large, inPieces: () => piecesOf(forms, hide) });
}

/** Characters of a text in pieces that are kept at most, beside the longest form of a value. */
const MOST_KEPT = 65_536;

function piecesOf(forms: readonly string[], hide: (text: string) => string): HiddenPieces {
  const most = MOST_KEPT + 2 * (forms[0]?.length ?? 0);
  let kept = '';
  const end = () => {
    const shown = hide(kept);
    kept = '';
    return shown;
  };
  return {
    add(piece) {
      kept += piece;
      const cut = openFrom(kept, forms, 1);
      if (cut === kept.length) return end();
      const shown = hide(kept.slice(0, cut));
      // What ends as another value begins is not divided: the next piece tells which of them it is.
      if (shown + hide(kept.slice(cut)) !== hide(kept)) return kept.length < most ? '' : end();
      kept = kept.slice(cut);
      return shown;
    },
    end,
  };
}

/** All forms of these values, the longest first, and what hides them. */
function valuesOf(known: Iterable<string>) {
  const forms = [...new Set([...known].flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
  function* steps(text: string): Generator<string, void> {
    if (forms.length === 0) return;
    const joined = text.replaceAll(/[\r\n]/g, '');
    let shown = text;
    for (const form of forms) {
      if (joined.includes(form)) shown = hideForm(shown, form);
      yield shown;
    }
  }
  return {
    forms,
    hide(text: string): string {
      let shown = text;
      for (const step of steps(text)) shown = step;
      return shown;
    },
    async large(text: string): Promise<string> {
      let shown = text;
      for (const step of steps(text)) {
        shown = step;
        await setImmediate();
      }
      return shown;
    },
  };
}

/**
 * Whether a text holds this value in a form that `hiding` finds. One of fewer than 8 characters is
 * never found, because ordinary texts hold such words, too.
 */
export function holdsSecret(text: string, secret: string): boolean {
  if (secret.trim().length < SHORTEST_SECRET) return false;
  const joined = text.replaceAll(/[\r\n]/g, '');
  return [...new Set(formsOf(secret))].some(
    (form) => form.length >= SHORTEST_SECRET && joined.includes(form),
  );
}

const noneKnown = hiding([]);

/** Hides keys of well-known services, for texts in which no secret is known. */
export const withoutSecrets = (text: string): string => noneKnown(text);

/**
 * Hides a form wherever it is, also where line breaks divide it, in a time that grows with the text
 * alone: a pattern with a line break between any two characters cannot be compiled for long forms.
 */
function hideForm(text: string, form: string): string {
  const lines = text.matchAll(/[^\r\n]+/g);
  let line = { begin: 0, end: 0, index: 0 };
  /** Where in the text a place is that counts no line breaks; places are asked for in their order. */
  const inText = (place: number): number => {
    while (place >= line.end) {
      const { value } = lines.next();
      if (value === undefined) return text.length;
      line = { begin: line.end, end: line.end + value[0].length, index: value.index };
    }
    return line.index + place - line.begin;
  };
  const joined = text.replaceAll(/[\r\n]/g, '');
  let shown = '';
  let done = 0;
  for (let at = joined.indexOf(form); at >= 0; at = joined.indexOf(form, at + form.length)) {
    shown += text.slice(done, inText(at)) + HIDDEN;
    done = inText(at + form.length - 1) + 1;
  }
  return shown + text.slice(done);
}

/** The beginning of a secret that is shorter than this is left: it says nothing. */
const SHORTEST_OPEN = 4;

/**
 * Where a value begins of which at least `shortest` characters are there, and that may go on after
 * the end of this text; otherwise its end.
 */
function openFrom(text: string, forms: readonly string[], shortest: number): number {
  let from = text.length;
  const longest = forms[0]?.length ?? 0;
  const last = text.slice(-2 * longest).replaceAll(/[\r\n]/g, '');
  for (const form of forms) {
    const end = last.slice(Math.max(0, last.length - form.length + 1));
    if (!end.includes(form.slice(0, shortest))) continue;
    const length = overlap(end, form);
    if (length >= shortest) from = Math.min(from, beforeLast(text, length));
  }
  return from;
}

/**
 * How many characters at the end of a text, which is shorter than the form, are the beginning of the
 * form: as many as can be. By the failure function of Knuth, Morris and Pratt, in linear time.
 */
function overlap(text: string, form: string): number {
  const shorter = new Uint32Array(form.length);
  const extend = (length: number, character: string | undefined): number => {
    let longest = length;
    while (longest > 0 && form[longest] !== character) longest = shorter[longest - 1] ?? 0;
    return form[longest] === character ? longest + 1 : 0;
  };
  for (let at = 1; at < form.length; at += 1) shorter[at] = extend(shorter[at - 1] ?? 0, form[at]);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) length = extend(length, text[at]);
  return length;
}

/** Where the last so many characters begin, line breaks aside. */
function beforeLast(text: string, characters: number): number {
  let at = text.length;
  for (let left = characters; left > 0 && at > 0; at -= 1)
    if (text[at - 1] !== '\n' && text[at - 1] !== '\r') left -= 1;
  return at;
}

/** A value and how texts write it. A line of a long one, such as a private key, is secret by itself. */
function formsOf(value: string): string[] {
  const secret = value.toWellFormed().trim();
  if (secret === '') return [];
  const lines = secret.split(/[\r\n]+/).filter((line) => line.length >= 2 * SHORTEST_SECRET);
  const percent = encodeURIComponent(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const xml = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const hex = Buffer.from(secret).toString('hex');
  const encoded = [
    percent,
    percent.replaceAll('%20', '+'),
    new URLSearchParams({ '': secret }).toString().slice(1),
    percent.replaceAll(/%../g, (c) => c.toLowerCase()),
    json,
    // As Python writes it.
    json.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    // As servers write it that guard scripts within pages.
    json.replaceAll(/[&<>]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`),
    xml,
    xml.replaceAll('"', '&quot;'),
    xml.replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    xml.replaceAll('"', '&quot;').replaceAll("'", '&apos;'),
    JSON.stringify(json).slice(1, -1),
    json.replaceAll('/', '\\/'),
    hex,
    hex.toUpperCase(),
    ...inBase64(secret),
  ];
  return [
    secret.replaceAll(/[\r\n]+/g, ''),
    ...lines,
    ...encoded.filter((form) => form.length >= SHORTEST_SECRET),
  ];
}

/** What is the same in Base64 for each of the three places where a secret can begin there. */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url');
    // Characters that share bits with what is around the secret are left out.
    const own = whole.slice(
      Math.ceil((before * 8) / 6),
      Math.floor(((before + bytes.length) * 8) / 6),
    );
    return [own, own.replaceAll('-', '+').replaceAll('_', '/')];
  });
}
