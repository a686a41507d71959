import { type DestinationStream, type Logger, pino } from 'pino';

// In JSON a line break before a key is the letter n, in a URL a space is 20; "task_1" is no key.
const SECRET =
  /(whsec_|gld_|[sr]k_(?:live|test)_|(?:(?<![A-Za-z0-9])|(?<=\\[nrt]|%[0-9A-Fa-f]{2}))[sr]k_)[\w*+/=]+/g;

/** A text without Stripe's secrets and our own keys: of each only its kind is left. JSON stays JSON. */
export const withoutSecrets = (text: string): string => text.replace(SECRET, '$1***');

/**
 * The log: JSON lines. Whatever a line says, no secret is in it: an error of Stripe quotes the key it refuses. Of an
 * error of PostgreSQL it keeps everything but the values of rows (`detail`, `where`): a key's hash or somebody's address
 * has no place in a log. `mixin` says what is added to every line.
 */
export const openLog = (
  level: string,
  destination: DestinationStream,
  mixin?: () => object,
): Logger =>
  pino(
    {
      level,
      ...(mixin === undefined ? {} : { mixin }),
      hooks: { streamWrite: withoutSecrets },
      serializers: {
        err: (error: Error) => {
          const {
            detail: _,
            where: __,
            ...kept
          } = pino.stdSerializers.err(error) as unknown as Record<string, unknown>;
          return kept;
        },
      },
    },
    destination,
  );
