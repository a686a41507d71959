import { type FieldErrorKind, fieldError } from '../../http/errors.ts';
import type { Outgoing } from '../../platform/outgoing/outgoing.ts';
import { probeLogin, probeUrl } from '../odoo/probing.ts';
import { type Probe, type ProbeCode, SENTENCES } from '../probe.ts';

/** A server is asked before a connection to it is saved (erp.md). */

/** What a server is asked with. Without a secret, only the address is looked at. */
export interface Asked {
  url: string;
  database: string | null;
  login: string | null;
  kind: 'api_key' | 'password';
  secret: string | undefined;
  /** Who asks. */
  userId: string;
}

export type AskServer = (asked: Asked) => Promise<Probe>;

/** Asks through the guarded agent. Without a secret, only the address. */
export const askThrough =
  (outgoing: Outgoing): AskServer =>
  ({ url, database, login, kind, secret, userId: askedBy }) =>
    secret === undefined
      ? probeUrl(outgoing, url, { askedBy })
      : probeLogin(outgoing, {
          url,
          secret,
          kind,
          askedBy,
          database: database ?? undefined,
          login: login ?? undefined,
        });

const at = (field: string, ...codes: ProbeCode[]) =>
  codes.map(
    (code) => [code, fieldError(`odoo_${code}`, ['body', field], SENTENCES[code])] as const,
  );

/**
 * The outcomes that refuse a connection: what was written is wrong, or the secret would go where it
 * must not. What may be over in a minute (`refused`, `timeout`, `database_down`, `rate_limited`) is
 * saved with its code instead, so that a connection to a server that is down can be made.
 */
const REFUSED = new Map<string, FieldErrorKind>([
  ...at('url', 'blocked_address', 'not_odoo', 'redirected', 'tls_untrusted', 'tls_name'),
  ...at('url', 'tls_expired', 'version_mismatch'),
  ...at('database', 'database_required', 'database_unknown'),
  ...at('secret', 'bad_credentials', 'second_factor', 'api_not_allowed'),
]);

export const probeErrors: readonly FieldErrorKind[] = [...REFUSED.values()];

/** Refuses what a probe says is wrong. Errors: 422, one for each code. */
export function refuseWrong({ code }: Probe): void {
  const refused = code === undefined ? undefined : REFUSED.get(code);
  if (refused !== undefined) throw refused();
}

/** What a connection keeps of a probe; what the server did not say stays as it is. */
export interface Learned {
  last_probe: object;
  erp_version?: string;
  edition?: string;
  secret_expires_at?: string;
}

export function learnedFrom(probe: Probe, now = new Date()): Learned {
  const { server_version, edition, expires_at } = probe;
  const version = versionOf(server_version);
  return {
    last_probe: { probed_at: now.toISOString(), ...probe },
    ...(version === undefined ? {} : { erp_version: version }),
    ...(probe.reachable && server_version !== undefined ? { edition } : {}),
    ...(expires_at === undefined ? {} : { secret_expires_at: expires_at }),
  };
}

/** `19.0` of `19.0+e-20251020`; of one that begins otherwise, what fits. */
const versionOf = (text: string | undefined): string | undefined =>
  text === undefined
    ? undefined
    : (/^(saas[~-])?\d{1,3}\.\d{1,3}/.exec(text)?.[0] ?? (text.slice(0, 50) || undefined));
