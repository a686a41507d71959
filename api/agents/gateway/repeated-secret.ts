import { unescaped } from './unescaped.ts';

/**
 * Servers that repeat the secret that they were sent: as it is, or as texts of the web write it. A
 * gateway looks at what it passes to a pod before the first byte of it goes there.
 */

/** A shorter secret is a word of ordinary answers, too. */
const SHORTEST = 8;
/** Escapes within escapes, such as those of JSON within XML. */
const DEEPEST = 3;

/**
 * Whether a text holds a secret: plain, percent-encoded, in Base64 whatever stands before it, or
 * escaped for JSON or XML. One of fewer than 8 characters is never found.
 */
export function repeats(text: string, secret: string): boolean {
  if ([...secret].length < SHORTEST) return false;
  const forms = formsOf(secret);
  // Base64 is broken into lines, and UTF-16 has a zero beside each letter.
  let shown = text.replaceAll(/[\0\r\n]+/g, '');
  for (let depth = 0; ; depth += 1) {
    if (forms.some((form) => shown.includes(form))) return true;
    if (depth === DEEPEST || !/[\\&%]/.test(shown)) return false;
    shown = unescaped(shown);
  }
}

/** A text with `…` in place of the secret; nothing else of one that holds it in another form. */
export function withoutSecret(text: string, secret: string): string {
  const shown = text.replaceAll(secret, '…');
  return repeats(shown, secret) ? '…' : shown;
}

/**
 * What to look for. A secret may itself look escaped, and then loses that with the text; a backslash
 * at its end then belongs to what follows it.
 */
function formsOf(secret: string): string[] {
  const plain = [secret];
  for (let depth = 0; depth < DEEPEST; depth += 1)
    plain.push(unescaped(plain.at(-1) as string).replace(/\\$/, ''));
  const asForm = secret.replaceAll(' ', '+');
  return [...new Set([...plain, asForm, ...inBase64(secret)])].filter(
    (form) => form.length >= SHORTEST,
  );
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
