import type { Sql } from '../../db/sql.ts';
import { compose, type StatementParts } from '../../http/authorize.ts';
import { EXAMPLES } from '../../http/examples.ts';
import { compileRequest } from '../../http/input/validation.ts';
import type { Route } from '../../http/route.ts';

const CREDENTIAL = { kind: 'key' as const, hash: Buffer.alloc(32) };

/**
 * Composes the first statement of an operation for its sample, without running it; undefined if the
 * operation first selects only its access row. Throws if the sample violates the operation's own
 * schemas, or if the statement names a column of the verdict.
 */
export async function probe(route: Route): Promise<Sql | undefined> {
  const { query = {}, body } = route.sample?.(EXAMPLES) ?? {};
  const input = compileRequest(route)({
    params: EXAMPLES,
    search: new URLSearchParams(query).toString(),
    contentType: 'application/json',
    body: body && Buffer.from(JSON.stringify(body)),
  });
  if (!input.ok)
    throw new Error(
      `the sample of ${route.operationId} is refused: ${JSON.stringify(input.items)}`,
    );
  let found: Sql | undefined;
  const stop = () => {
    throw STOP;
  };
  const write = route.method !== 'GET';
  const context = {
    ...input,
    headers: {},
    url: route.path,
    requestId: 'probe',
    load: async () => stop(),
    begin: async () => stop(),
    snapshot: () => stop(),
    transaction: async () => stop(),
    statement: async (parts: StatementParts) => {
      const access = route.access.sql(input as never, false);
      found = compose(CREDENTIAL, access, parts, write ? 'write' : 'read', write);
      stop();
    },
  };
  try {
    await route.handle(context as never);
  } catch (error) {
    if (error !== STOP) throw error;
  }
  return found;
}

const STOP = new Error('the probe has what it asked for');
