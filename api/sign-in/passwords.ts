import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { apiError } from '../http/errors.ts';

/** Too many passwords are being checked. */
export const signInBusy = apiError(
  503,
  'sign_in_busy',
  'Too many people are signing in right now: try again in a moment',
  { 'retry-after': '1' },
);

/** The parameters of Argon2id that new hashes have: `memory` in KiB. */
export const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 } as const;

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORM =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([\w+/]{11,86})\$([\w+/]{22,86})$/;

/** Makes and checks hashes of passwords, a few at a time. */
export interface Passwords {
  /** The hash of a new password, in the PHC string format. Errors: 503 sign_in_busy. */
  hash(password: string): Promise<string>;
  /**
   * Whether a password has this hash; `outdated` if new ones are made with other parameters.
   * Without a hash it takes the same time, and it is wrong. Errors: 503 sign_in_busy.
   */
  verify(password: string, phc: string | undefined): Promise<{ right: boolean; outdated: boolean }>;
}

/** While others wait, a place rests this many times as long as its hash took. */
const REST = 4;

/**
 * `atOnce` hashes are made at the same time, each with 19 MiB of memory and one thread of libuv;
 * `waiting` callers at most wait for one, and further ones are refused at once. While callers wait,
 * each place is idle four fifths of the time: a flood of sign-ins gets two fifths of one core, and
 * the rest is left to everything else. Without a flood there is no rest.
 */
export function passwords({ atOnce = 2, waiting = 32 } = {}): Passwords {
  const line: (() => void)[] = [];
  let free = atOnce;

  async function placed<Result>(work: () => Promise<Result>): Promise<Result> {
    if (free > 0) free--;
    else if (line.length >= waiting) throw signInBusy();
    else await new Promise<void>((resolve) => line.push(resolve));
    const begun = performance.now();
    try {
      return await work();
    } finally {
      void leave(performance.now() - begun);
    }
  }

  async function leave(took: number): Promise<void> {
    if (line.length > 0) await pause(took * REST);
    const next = line.shift();
    if (next === undefined) free++;
    else next();
  }

  const derive = (password: string, { salt, bytes, memory, passes, parallelism }: Derivation) =>
    placed(
      () =>
        new Promise<Buffer>((resolve, reject) => {
          const parameters = { memory, passes, parallelism, tagLength: bytes };
          argon2('argon2id', { message: password, nonce: salt, ...parameters }, (error, derived) =>
            error === null ? resolve(derived) : reject(error),
          );
        }),
    );

  return {
    hash: async (password) => {
      const salt = randomBytes(SALT_BYTES);
      const derived = await derive(password, { ...PARAMETERS, salt, bytes: HASH_BYTES });
      const { memory, passes, parallelism } = PARAMETERS;
      return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(derived)}`;
    },
    verify: async (password, phc) => {
      const stored = phc === undefined ? undefined : parse(phc);
      const { salt, expected, ...parameters } = stored ?? NONE;
      const derived = await derive(password, { ...parameters, salt, bytes: expected.length });
      const right = timingSafeEqual(derived, expected) && stored !== undefined;
      return { right, outdated: right && !isCurrent(parameters) };
    },
  };
}

interface Parameters {
  memory: number;
  passes: number;
  parallelism: number;
}

type Derivation = Parameters & { salt: Buffer; bytes: number };

/** What a password is compared with where there is none. */
const NONE = { ...PARAMETERS, salt: randomBytes(SALT_BYTES), expected: randomBytes(HASH_BYTES) };

const isCurrent = ({ memory, passes, parallelism }: Parameters) =>
  memory === PARAMETERS.memory &&
  passes === PARAMETERS.passes &&
  parallelism === PARAMETERS.parallelism;

const text = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

function parse(phc: string): Parameters & { salt: Buffer; expected: Buffer } {
  const [, memory, passes, parallelism, salt = '', hash = ''] = FORM.exec(phc) ?? [];
  if (memory === undefined) throw new Error('a stored password is not in the PHC format');
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    expected: Buffer.from(hash, 'base64'),
  };
}
