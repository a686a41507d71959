import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { fieldError, ValidationError } from '../../http/errors.ts';
import { text } from '../../http/input/fields.ts';
import { itemAt } from '../../http/input/validation.ts';

/** A password that is checked, of any strength; no error shows it. */
export const anyPassword = () => text({ minLength: 1, maxLength: 256, writeOnly: true });

/** A password that is set. */
export const newPassword = () =>
  text({
    minLength: 8,
    maxLength: 256,
    writeOnly: true,
    description: 'At least 8 characters, and not easy to guess: zxcvbn must rate it 3 or 4.',
  });

export const passwordTooWeak = fieldError(
  'password_too_weak',
  ['body', 'password'],
  'This password is easy to guess: take three or four words that have nothing to do with each other',
);

const ENOUGH = 3;
// The time it takes grows with the square of the length; what follows is not rated.
const RATED = 64;

/** What to say about a weak password, by the warnings of zxcvbn. */
const ADVICE: Record<string, string> = {
  common: 'it is one of the most used passwords',
  commonNames: 'names are easy to guess',
  dates: 'dates are easy to guess',
  extendedRepeat: 'a text that is repeated adds little',
  keyPattern: 'keys that lie next to each other are easy to guess',
  namesByThemselves: 'names are easy to guess',
  recentYears: 'recent years are easy to guess',
  sequences: 'sequences such as abc or 4321 are easy to guess',
  similarToCommon: 'it is like a password that many use',
  simpleRepeat: 'a character that is repeated adds little',
  straightRow: 'keys that lie next to each other are easy to guess',
  topHundred: 'it is one of the most used passwords',
  topTen: 'it is one of the most used passwords',
  userInputs: 'it contains your address, your name or that of this product',
  wordByItself: 'a single word is easy to guess',
};

let factory: Promise<ZxcvbnFactory> | undefined;

/**
 * Refuses a password that someone who knows its person would guess. Errors: 422 password_too_weak,
 * with advice.
 */
export async function requireStrength(
  password: string,
  { email, name }: { email: string; name?: string | null | undefined },
): Promise<void> {
  // Loaded only if it is used, because its dictionaries take 27 MB.
  factory ??= load();
  const words = [email, ...email.split(/[@.+_-]/), ...(name?.split(/\s+/) ?? []), 'Guildhall'];
  const { score, feedback } = (await factory).check(
    password.slice(0, RATED),
    words.filter((word) => word.length > 2),
  );
  if (score >= ENOUGH) return;
  const advice = ADVICE[feedback.warning ?? ''];
  const { type, loc, msg } = passwordTooWeak.item;
  throw new ValidationError([
    itemAt(type, loc, advice === undefined ? msg : `${msg}. Note that ${advice}`),
  ]);
}

async function load(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
}
