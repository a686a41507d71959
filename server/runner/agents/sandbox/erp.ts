/** What the sandbox agent reads from an ERP system that its task may use. */

/** An entry of GUILDHALL_ERP. */
interface Erp {
  name: string;
  kind: 'connection' | 'instance';
  /** The address of the gateway for it. */
  url: string;
  database?: string;
  login?: string;
  protocols: string[];
}

/** A file of what was read, or undefined where there is nothing to read from, and a sentence. */
export interface Read {
  file: string | undefined;
  sentence: string;
}

/** Asks the first instance, or else the first connection, for its version and one partner. */
export async function readErp(env: Readonly<Record<string, string | undefined>>): Promise<Read> {
  const all = JSON.parse(env.GUILDHALL_ERP ?? '[]') as Erp[];
  const erp = all.find(({ kind }) => kind === 'instance') ?? all[0];
  if (erp === undefined)
    return { file: undefined, sentence: 'There is no ERP system that I may use.' };
  const token = env.GUILDHALL_ERP_TOKEN ?? '';
  const { server_version: version } = (await jsonRpc(erp, 'common', 'version', [])) as {
    server_version: string;
  };
  const [partner] = erp.protocols.includes('json2')
    ? await byJson2(erp, token)
    : await byJsonRpc(erp, token);
  const name = partner === undefined ? 'no partner' : `the partner ${partner.name}`;
  return {
    file: `- ${erp.kind} ${erp.name}: Odoo ${version}, ${name}\n`,
    sentence: `I have read from the ${erp.kind} ${erp.name}: Odoo ${version}, ${name}.`,
  };
}

type Partners = { id: number; name: string }[];
const FIELDS = { fields: ['name'], limit: 1 };

async function byJson2(erp: Erp, token: string): Promise<Partners> {
  const { status, body } = await post(
    `${erp.url}/json/2/res.partner/search_read`,
    { domain: [], ...FIELDS },
    { authorization: `Bearer ${token}` },
  );
  if (status !== 200) throw new Error(`${erp.name} answered ${status}.`);
  return body as Partners;
}

async function byJsonRpc(erp: Erp, token: string): Promise<Partners> {
  const { database, login } = erp;
  const user = await jsonRpc(erp, 'common', 'authenticate', [database, login, token, {}]);
  const call = [database, user, token, 'res.partner', 'search_read', [[]], FIELDS];
  return (await jsonRpc(erp, 'object', 'execute_kw', call)) as Partners;
}

async function jsonRpc(erp: Erp, service: string, method: string, args: unknown[]) {
  const { status, body } = await post(`${erp.url}/jsonrpc`, {
    jsonrpc: '2.0',
    id: 1,
    method: 'call',
    params: { service, method, args },
  });
  const { result, error } = body as { result?: unknown; error?: { message?: string } };
  if (status !== 200 || error !== undefined)
    throw new Error(`${erp.name} answered ${status}. ${error?.message ?? ''}`.trim());
  return result;
}

async function post(url: string, sent: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(sent),
    signal: AbortSignal.timeout(30_000),
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: answer.status, body: (await answer.json()) as unknown };
}
