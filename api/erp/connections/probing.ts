import { type FieldErrorKind, fieldError } from '../../http/errors.ts';
import type { Probe } from './last-probe.ts';

/** A server is asked before a connection to it is saved (erp.md). */

/** What a server is asked with. Without a secret, only the address is looked at. */
export interface Asked {
  url: string;
  database: string | null;
  login: string | null;
  kind: 'api_key' | 'password';
  secret: string | undefined;
}

export type AskServer = (asked: Asked) => Promise<Probe>;

const at = (code: string, field: string, msg: string): FieldErrorKind =>
  fieldError(`odoo_${code}`, ['body', field], msg);

/**
 * The outcomes that refuse a connection: what was written is wrong, or the secret would go where it
 * must not. What may be over in a minute (`refused`, `timeout`, `database_down`, `rate_limited`) is
 * saved with its code instead, so that a connection to a server that is down can be made.
 */
const REFUSED: Record<string, FieldErrorKind> = {
  invalid_url: at('invalid_url', 'url', 'This is not the address of a server: correct it'),
  dns: at('dns', 'url', 'No server has this name: check the address'),
  blocked_address: at(
    'blocked_address',
    'url',
    'This server does not connect to this address: use a public one, or ask its operator',
  ),
  not_odoo: at('not_odoo', 'url', 'There is no Odoo at this address: check it'),
  redirected: at(
    'redirected',
    'url',
    'The server sends requests on to another address: enter the one where it ends up',
  ),
  tls_untrusted: at(
    'tls_untrusted',
    'url',
    'The certificate of the server is not trusted: it needs one of a known authority',
  ),
  tls_name: at('tls_name', 'url', 'The certificate of the server is for another name'),
  tls_expired: at('tls_expired', 'url', 'The certificate of the server has expired: renew it'),
  version_mismatch: at(
    'version_mismatch',
    'url',
    'This version of Odoo cannot be used like this: see the kinds of secrets it accepts',
  ),
  database_required: at(
    'database_required',
    'database',
    'The server has several databases: name the one to use',
  ),
  database_unknown: at('database_unknown', 'database', 'The server has no such database'),
  bad_credentials: at(
    'bad_credentials',
    'secret',
    'The server does not accept this login: check the login, the secret and the database',
  ),
  second_factor: at(
    'second_factor',
    'secret',
    'This user has a second factor, which programs cannot give: use an API key of this user',
  ),
  api_not_allowed: at(
    'api_not_allowed',
    'secret',
    'This user may not use the API of the server: ask its administrator',
  ),
};

export const probeErrors: readonly FieldErrorKind[] = Object.values(REFUSED);

/** Refuses what a probe says is wrong. Errors: 422, one for each code. */
export function refuseWrong({ code }: Probe): void {
  const refused = code === undefined ? undefined : REFUSED[code];
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
