import { HIDDEN, hiding, inBase64 } from '../../telemetry/hide-secrets.ts';
import { passageOf, readOn, textOf, unescaped, unitsOf, withoutBlanks } from './unescaped.ts';

/**
 * Servers that repeat the secret that they were sent: as it is, or as texts of the web write it. A
 * gateway looks at what it passes to a pod before the first byte of it goes there.
 */

/** A shorter secret is a word of ordinary answers, too. */
const SHORTEST = 8;
/** Escapes within escapes, such as those of JSON within XML. */
const DEEPEST = 3;

/** Characters that are looked at together: a copy of a long text is several times its length. */
const STEP = 64 * 1024;

/**
 * Whether a text holds a secret: plain, percent-encoded, in Base64 whatever stands before it, or
 * escaped for JSON or XML, with white space anywhere; in hexadecimal digits, in either case. One of
 * fewer than 8 characters, white space aside, is never found. Of 16 MiB it takes a second: long texts
 * are looked through in a thread.
 */
export function repeats(text: string, secret: string): boolean {
  const plain = withoutBlanks(secret);
  if ([...plain].length < SHORTEST) return false;
  const hex = /^[\da-f]+$/i.test(plain);
  const forms = formsOf(secret);
  const longest = Math.max(...forms.map((form) => form.length));
  const units = new Uint16Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += STEP) {
    const part = unitsOf(withoutBlanks(text.slice(at, at + STEP)));
    units.set(part, length);
    length += part.length;
  }
  for (let depth = 0; ; depth += 1) {
    let escapes = false;
    for (let at = 0; at < length; at += STEP) {
      // A form may begin in one step and end in the next one.
      const part = textOf(units, at, Math.min(at + STEP + longest, length));
      if (forms.some((form) => part.includes(form))) return true;
      if (hex && part.toLowerCase().includes(plain.toLowerCase())) return true;
      escapes ||= part.includes('&') || part.includes('%') || part.includes('\\');
    }
    if (depth === DEEPEST || !escapes) return false;
    const passage = passageOf(units, length);
    while (passage.at < length) readOn(passage, passage.at + STEP);
    if (!passage.escaped) return false;
    length = passage.to;
  }
}

/** A text without the secret; nothing of one that holds it in a form that cannot be cut out. */
export function withoutSecret(text: string, secret: string): string {
  const shown = hiding([secret])(text);
  return repeats(shown, secret) ? HIDDEN : shown;
}

/**
 * What to look for. A secret may itself look escaped, and then loses that with the text; a backslash
 * at its end then belongs to what follows it.
 */
function formsOf(secret: string): string[] {
  const plain = [withoutBlanks(secret)];
  for (let depth = 0; depth < DEEPEST; depth += 1)
    plain.push(unescaped(plain.at(-1) as string).replace(/\\$/, ''));
  const asForm = withoutBlanks(secret.replaceAll(' ', '+'));
  const hex = /^[\da-f]+$/i.test(secret);
  const encoded = hex ? [secret.toLowerCase(), secret.toUpperCase()] : [secret];
  return [...new Set([...plain, asForm, ...encoded.flatMap(inBase64)])].filter(
    (form) => form.length >= SHORTEST,
  );
}
