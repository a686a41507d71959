import type { Access, Edition } from '../probe.ts';
import { Trouble } from './asking.ts';
import { fieldOf } from './calls.ts';
import type { Identity } from './identify.ts';
import type { Outcome, Session } from './session.ts';
import { isKey, type Login } from './sign-in.ts';
import type { Value } from './xml-rpc.ts';

/** What is worth knowing of a login that works. */
interface Details {
  edition: Edition;
  access: Access;
  expiresAt: string | undefined;
}

/** The first versions that have these. */
const HAS_ACCESS = 19;
const KEYS_EXPIRE = 18;

const PAID = 'web_enterprise';

/**
 * Up to three questions at once. What cannot be learned is left open: the login works. Only a
 * server that denies all of them does not let it use the API.
 */
export async function detailsOf(
  session: Session,
  server: Identity,
  login: Login,
): Promise<Details> {
  const modules = ask(session, 'ir.module.module', 'search_read', {
    domain: [['name', 'in', ['base', PAID]]],
    fields: ['name', 'state'],
  });
  const mayWrite =
    server.major >= HAS_ACCESS
      ? ask(session, 'res.partner', 'has_access', { ids: [], operation: 'write' })
      : ask(session, 'res.partner', 'check_access_rights', {
          operation: 'write',
          raise_exception: false,
        });
  const keys =
    server.major >= KEYS_EXPIRE && isKey(login)
      ? ask(session, 'res.users.apikeys', 'search_read', {
          domain: [['user_id', '=', session.uid]],
          fields: ['expiration_date'],
        })
      : undefined;
  const outcomes = await Promise.all([modules, mayWrite, keys]);
  const [installed, writes, own] = outcomes;
  if (isDenied(installed) && isDenied(writes)) throw new Trouble('api_not_allowed');
  return {
    edition: editionOf(server, rowsOf(installed)),
    access: rowsOf(installed) !== undefined ? 'admin' : valueIs(writes, true) ? 'write' : 'read',
    expiresAt: nearest(rowsOf(own) ?? []),
  };
}

/** A failure leaves the answer open. */
const ask = (session: Session, ...call: Parameters<Session['call']>): Promise<Outcome> =>
  session.call(...call).catch((error: unknown) => {
    if (error instanceof Trouble) return { denied: false };
    throw error;
  });

const isDenied = (outcome: Outcome): boolean => 'denied' in outcome && outcome.denied;

const valueIs = (outcome: Outcome, value: Value): boolean =>
  'value' in outcome && outcome.value === value;

const rowsOf = (outcome: Outcome | undefined): Value[] | undefined =>
  outcome !== undefined && 'value' in outcome && Array.isArray(outcome.value)
    ? outcome.value
    : undefined;

/** Only administrators may read which modules there are; a version may say that it is paid for. */
function editionOf({ edition }: Identity, modules: Value[] | undefined): Edition {
  if (edition !== 'unknown' || modules === undefined) return edition;
  const paid = modules.some(
    (row) => fieldOf(row, 'name') === PAID && fieldOf(row, 'state') === 'installed',
  );
  return paid ? 'enterprise' : 'community';
}

const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

/** The first of these times that is still to come; Odoo writes them in UTC without a zone. */
function nearest(keys: Value[]): string | undefined {
  const times = keys.map((row) => String(fieldOf(row, 'expiration_date')));
  const ahead = times
    .filter((time) => TIME.test(time))
    .map((time) => new Date(`${time.replace(' ', 'T')}Z`))
    .filter((time) => time.getTime() > Date.now());
  return ahead.length === 0
    ? undefined
    : new Date(Math.min(...ahead.map((time) => time.getTime()))).toISOString();
}
