import { type DestinationStream, type Logger, pino } from 'pino';

// In JSON, a line break before a key appears as the letter n; in a URL, a space as 20. "task_1" is
// not a key.
const SECRET =
  /(whsec_|gld_|[sr]k_(?:live|test)_|(?:(?<![A-Za-z0-9])|(?<=\\[nrt]|%[0-9A-Fa-f]{2}))[sr]k_)[\w*+/=]+/g;

// Tokens of GitHub, of the App itself (a JWT), and a private key, whose lines JSON joins.
const OF_GITHUB =
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]|%[0-9A-Fa-f]{2}))(gh[oprsu]_|github_pat_)[\w.-]+|(eyJ)[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}|(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?-----END [A-Z ]*PRIVATE KEY-----/gs;

/**
 * A text in which the secrets of Stripe and GitHub and our own keys are replaced by their prefix
 * and asterisks. JSON stays valid.
 */
export const withoutSecrets = (text: string): string =>
  text.replace(SECRET, '$1***').replace(OF_GITHUB, '$1$2$3***');

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
