import type { Static } from 'typebox';
import type { OfConnection } from '../../access/odoo-connection.ts';
import { originOf, readAddress } from './address.ts';
import { type connection, secretRequired } from './connection.ts';

/** Where a connection leads after a change, and whether that must be tried first. */

export type Changes = Static<typeof connection.changes>;

type Server = Pick<OfConnection, 'url' | 'database' | 'login' | 'kind'>;

/** `secret`: a new one; null removes it, undefined keeps the stored one. */
type ServerAfter = Server & { secret: string | null | undefined; moved: boolean };

/**
 * Errors: 422 for an address that is none, and odoo_secret_required for another origin or kind
 * without the secret: the stored one was not given for it, and a password goes over other protocols
 * than a key.
 */
export function serverAfter(
  before: Server & Pick<OfConnection, 'secret'>,
  { url: sent, database, login, kind, secret }: Changes,
  allowHttp: boolean,
): ServerAfter {
  // What the operator allowed earlier stays until it is changed.
  const url =
    sent === undefined || sent === before.url ? before.url : readAddress(sent, { allowHttp });
  const after = {
    url,
    database: database === undefined ? before.database : database,
    login: login === undefined ? before.login : login,
    kind: kind ?? before.kind,
  };
  const keeps = secret === undefined && before.secret !== null;
  if (keeps && (originOf(url) !== originOf(before.url) || after.kind !== before.kind))
    throw secretRequired();
  return { ...after, secret, moved: typeof secret === 'string' || !leadsTo(before, after) };
}

const FIELDS = ['url', 'database', 'login', 'kind'] as const;

/** Whether a change names anything of the server or its secret. */
export const isAboutServer = (changes: Changes): boolean =>
  [...FIELDS, 'secret' as const].some((field) => changes[field] !== undefined);

const leadsTo = (one: Server, other: Server): boolean =>
  FIELDS.every((field) => one[field] === other[field]);

/** Whether nothing of it has changed meanwhile, the stored secret included. */
export const isSameServer = (
  one: Server & Pick<OfConnection, 'secret'>,
  other: Server & Pick<OfConnection, 'secret'>,
): boolean =>
  leadsTo(one, other) &&
  (one.secret === null || other.secret === null
    ? one.secret === other.secret
    : one.secret.equals(other.secret));
