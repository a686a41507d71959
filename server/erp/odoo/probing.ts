import type { Outgoing } from '../../platform/outgoing/outgoing.ts';
import { type Probe, SENTENCES } from '../probe.ts';
import { type Asking, askingAt, Trouble } from './asking.ts';
import { detailsOf } from './details.ts';
import { databasesOf, type Identity, identify, requirePostgres } from './identify.ts';
import { type Login, signIn } from './sign-in.ts';

interface Expected {
  /** The version that is expected, such as `18.0`; another one is `version_mismatch`. */
  erpVersion?: string | undefined;
  /** The id of a person: who asks for much waits for themselves. */
  askedBy?: string | undefined;
}

export interface ProbedLogin extends Login, Expected {
  url: string;
}

/** What is known so far; when something is wrong, it is shown beside the code. */
type Known = Partial<Probe>;

/** Whether an Odoo answers at an address, which version it is, and whether it lists databases. */
export const probeUrl = (
  outgoing: Pick<Outgoing, 'send'>,
  url: string,
  expected: Expected = {},
): Promise<Probe> =>
  probed(outgoing, { url, ...expected }, async (asking, server, known) => {
    if (server.major >= 19) await requirePostgres(asking);
    if (!server.xmlRpc) return 'Odoo answers; XML-RPC is closed there.';
    const databases = await databasesOf(asking);
    if (databases === undefined) return 'Odoo answers, and does not list its databases.';
    known.databases = databases;
    const [only, ...others] = databases;
    if (only !== undefined && others.length === 0) known.database = only;
    return 'Odoo answers.';
  });

/** Whether a login works, and what it may do. Nothing is stored, here or there. */
export const probeLogin = (
  outgoing: Pick<Outgoing, 'send'>,
  { url, erpVersion, askedBy, ...login }: ProbedLogin,
): Promise<Probe> =>
  probed(outgoing, { url, erpVersion, askedBy }, async (asking, server, known) => {
    if (login.database !== undefined) known.database = login.database;
    const session = await signIn(asking, server, login);
    const { edition, access, expiresAt } = await detailsOf(session, server, login);
    Object.assign(known, { edition, access, login_ok: true, uid: session.uid });
    if (session.database !== undefined) known.database = session.database;
    if (expiresAt !== undefined) known.expires_at = expiresAt;
    return 'The login works.';
  });

async function probed(
  outgoing: Pick<Outgoing, 'send'>,
  { url, erpVersion, askedBy }: { url: string } & Expected,
  probe: (asking: Asking, server: Identity, known: Known) => Promise<string>,
): Promise<Probe> {
  const asking = askingAt(outgoing, url, askedBy);
  const known: Known = {};
  let outcome: Pick<Probe, 'code' | 'message'>;
  try {
    const server = await identify(asking);
    Object.assign(known, { server_version: server.version, edition: server.edition });
    const message = await probe(asking, server, known);
    const other = erpVersion !== undefined && erpVersion !== server.version;
    outcome = other ? wrong('version_mismatch') : { message };
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    outcome = wrong(error.code);
  }
  const { latency, reached, tls } = asking;
  return {
    reachable: reached,
    tls,
    edition: 'unknown',
    login_ok: false,
    access: 'none',
    ...known,
    ...outcome,
    ...(latency !== undefined && { latency_ms: latency }),
  };
}

const wrong = (code: Exclude<Probe['code'], undefined>) => ({ code, message: SENTENCES[code] });
