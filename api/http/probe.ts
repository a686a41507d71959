import type { Sql } from '../db/sql.ts';
import { compose, type StatementParts } from './authorize.ts';
import { EXAMPLES } from './examples.ts';
import { compileRequest } from './input/validation.ts';
import type { Route } from './route.ts';

const CREDENTIAL = { kind: 'key' as const, hash: Buffer.alloc(32) };

/**
 * The first statement of an operation, composed for its sample without asking the database; undefined for one that first
 * only asks for its access row. Throws for a sample that its own schemas refuse, and for a statement that names a column of the verdict: a server
 * with one does not start.
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
