/** How long one question may take, in milliseconds. */
const WITHIN_MS = 5_000;

/** Since this version Odoo answers JSON-2. */
const JSON_2_SINCE = 19;

const VERSION_CALL =
  '<?xml version="1.0"?><methodCall><methodName>version</methodName><params/></methodCall>';

/**
 * Whether an instance answers calls: its server reaches its database, and asks who has no key for
 * one; before version 19, which does so, it says its version.
 */
export async function isReady(
  url: string,
  { erpVersion, database }: { erpVersion: string; database: string },
): Promise<boolean> {
  const ask = async (path: string, init: RequestInit = {}) => {
    const signal = AbortSignal.timeout(WITHIN_MS);
    const answer = await fetch(`${url}${path}`, { redirect: 'manual', signal, ...init });
    await answer.body?.cancel();
    return answer.status;
  };
  try {
    if ((await ask('/web/health?db_server_status=1')) !== 200) return false;
    if (Number.parseInt(erpVersion, 10) < JSON_2_SINCE)
      return (
        (await ask('/xmlrpc/2/common', {
          method: 'POST',
          body: VERSION_CALL,
          headers: { 'content-type': 'text/xml' },
        })) === 200
      );
    const status = await ask('/json/2/res.users/context_get', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', 'x-odoo-database': database },
    });
    return status === 401;
  } catch {
    return false;
  }
}
