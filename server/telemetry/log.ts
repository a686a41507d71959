import { type DestinationStream, type Logger, pino } from 'pino';
import { withoutSecrets } from './hide-secrets.ts';

/**
 * The log, as JSON lines. No line contains a secret, whatever it says: errors of Stripe quote the
 * key they refuse. Errors of PostgreSQL are logged without the values of rows (`detail`, `where`),
 * because a key's hash or a person's address does not belong in a log. `mixin` is added to every
 * line.
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
