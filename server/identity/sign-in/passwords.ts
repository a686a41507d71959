import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hashingQueue } from './hashing-queue.ts';

/** The parameters of Argon2id that new hashes have: `memory` in KiB. */
export const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 } as const;

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORM =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([\w+/]{11,86})\$([\w+/]{22,86})$/;

/** Makes and checks hashes of passwords, a few at a time. */
export interface Passwords {
  /**
   * The hash of a new password, in the PHC string format, for someone who has a session or a link
   * that works. Errors: 503 sign_in_busy.
   */
  hash(password: string): Promise<string>;
  /**
   * Whether a password has this hash; `outdated` if new ones are made with other parameters.
   * Without a hash it takes the same time, and it is wrong. `first`: its sender has a session.
   * Errors: 503 sign_in_busy.
   */
  verify(
    password: string,
    phc: string | undefined,
    options?: { first?: boolean },
  ): Promise<{ right: boolean; outdated: boolean }>;
  /** Refuses a sign-in that would have to wait behind too many others. Errors: 503 sign_in_busy. */
  requirePlace(): void;
}

/** While people wait, hashing takes this share of the machine's cores. */
const SHARE = 0.05;
/** After a quiet time it takes so many milliseconds of a core without a pause: some 10 sign-ins. */
const BURST_MS = 250;
/** Whoever has waited for so long is refused. */
const TIMEOUT_MS = 10_000;

/**
 * Each hash takes 19 MiB of memory and one of the four threads of libuv, so one is made at a time,
 * or two where there are more than two cores. `waiting` callers at most wait, and further ones are
 * refused at once; `onBusy` is called for each of them.
 */
export function passwords({
  cores = availableParallelism(),
  waiting = 32,
  onBusy,
}: {
  cores?: number;
  waiting?: number;
  onBusy?: () => void;
} = {}): Passwords {
  const queue = hashingQueue({
    atOnce: cores > 2 ? 2 : 1,
    share: SHARE * cores,
    burst: BURST_MS,
    waiting,
    timeout: TIMEOUT_MS,
    onBusy,
  });

  const derive = (
    password: string,
    { salt, bytes, first, memory, passes, parallelism }: Derivation,
  ) =>
    queue.run(
      () =>
        new Promise<Buffer>((resolve, reject) => {
          const parameters = { memory, passes, parallelism, tagLength: bytes };
          argon2('argon2id', { message: password, nonce: salt, ...parameters }, (error, derived) =>
            error === null ? resolve(derived) : reject(error),
          );
        }),
      { first },
    );

  return {
    requirePlace: queue.requirePlace,
    hash: async (password) => {
      const salt = randomBytes(SALT_BYTES);
      const derived = await derive(password, {
        ...PARAMETERS,
        salt,
        bytes: HASH_BYTES,
        first: true,
      });
      const { memory, passes, parallelism } = PARAMETERS;
      return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(derived)}`;
    },
    verify: async (password, phc, { first = false } = {}) => {
      const stored = phc === undefined ? undefined : parse(phc);
      const { salt, expected, ...parameters } = stored ?? NONE;
      const derived = await derive(password, {
        ...parameters,
        salt,
        bytes: expected.length,
        first,
      });
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

type Derivation = Parameters & { salt: Buffer; bytes: number; first: boolean };

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
