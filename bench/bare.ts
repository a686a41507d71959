import { hash } from 'node:crypto';
import fastify from 'fastify';
import { openDatabase } from '../server/db/database/database.ts';
import { Sql } from '../server/db/sql.ts';

// What a server with nothing but the statement would do: no validation, limits, log, audit or
// headers. STATEMENTS has, per operation, the recorded text and values; `key` and `id` in them are
// replaced by those of a request.

interface Recorded {
  text: string;
  values: unknown[];
  key: number;
  id: number[];
}

const { DATABASE_URL: url = '', PORT: port = '0', STATEMENTS: statements = '{}' } = process.env;
const { P, I } = JSON.parse(statements) as { P: Recorded; I: Recorded };
const db = openDatabase({ url });
const app = fastify();

const serve = (path: string, { text, values, key, id }: Recorded) => {
  const strings = text.split(/\$\d+/);
  app.get<{ Params: { id: string } }>(path, async (request, reply) => {
    const bound = [...values];
    bound[key] = hash('sha256', request.headers.authorization?.slice(7) ?? '', 'buffer');
    for (const at of id) bound[at] = request.params.id;
    const [row] = await db.read<{ items: string }>(new Sql(strings, bound));
    return reply.type('application/json').send(row?.items);
  });
};

serve('/api/projects/:id/people', P);
serve('/api/organizations/:id/invitations', I);
await app.listen({ host: '127.0.0.1', port: Number(port) });
process.stdout.write('ready\n');
process.once('SIGTERM', () => process.exit(0));
