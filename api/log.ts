import { type DestinationStream, type Logger, pino } from 'pino';

/**
 * The log: JSON lines. Of an error of PostgreSQL it keeps everything but the values of rows (`detail`, `where`): a key's
 * hash or somebody's address has no place in a log.
 */
export const openLog = (level: string, destination: DestinationStream): Logger =>
  pino(
    {
      level,
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
