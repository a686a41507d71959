import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { cardSetups } from '../server/billing/cards/card-setups.ts';
import { sandbox } from '../server/billing/cards/sandbox.ts';
import { topUps } from '../server/billing/top-ups/top-ups.ts';
import { openDatabase } from '../server/db/database/database.ts';
import { build } from '../server/main/app.ts';
import { readConfig } from '../server/platform/config/config.ts';
import { diskStore } from '../server/platform/files/disk-store.ts';
import { openOutgoing } from '../server/platform/outgoing/outgoing.ts';
import { openTaskEvents } from '../server/tasks/events/task-events.ts';
import { type Sent, watchStatements } from '../server/testing/database/statements.ts';
import type { Operation, Request } from './operations.ts';

/**
 * Records what the server itself sends to PostgreSQL for these requests: each is made twice against
 * a server in this process, so that connections and keys are known the second time, which is
 * recorded.
 */
export async function recordStatements(
  databaseUrl: string,
  requests: { operation: Operation; list: Request[] }[],
): Promise<Map<Operation, Sent[][]>> {
  let log: Sent[] = [];
  watchStatements((sent) => log.push(sent));
  const db = openDatabase({ url: databaseUrl });
  const config = readConfig({
    RATE_LIMIT_PER_MINUTE: '1000000000',
    RATE_LIMIT_ADD_FUNDS_PER_MINUTE: '1000000000',
    RATE_LIMIT_INVITATIONS_PER_MINUTE: '1000000000',
  });
  const events = openTaskEvents({ url: databaseUrl });
  const app = await build({
    db,
    config,
    topUps: topUps(db, sandbox(db)),
    cardSetups: cardSetups(db, sandbox(db)),
    events,
    outgoing: openOutgoing(config.erp),
    files: diskStore(config.files.folder),
    serverSecret: 'a secret for the benchmark that is long enough',
    migration: '',
    log: pino({ level: 'silent' }),
  });
  const recorded = new Map<Operation, Sent[][]>();
  try {
    for (const { operation, list } of requests) {
      const all: Sent[][] = [];
      for (const { method, path, key, body } of list) {
        for (const last of [false, true]) {
          log = [];
          const answer = await app.inject({
            method: method as 'GET',
            url: path,
            headers: {
              authorization: `Bearer ${key}`,
              // A top-up without a key would join the identical one before it (ruling 6).
              ...(last ? {} : { 'idempotency-key': randomUUID() }),
            },
            ...(body === undefined ? {} : { payload: body as object }),
          });
          if (answer.statusCode !== 200)
            throw new Error(`${operation.name}: ${answer.statusCode} ${answer.body}`);
          if (last) all.push(log);
          log = [];
        }
      }
      recorded.set(operation, all);
    }
  } finally {
    await app.close();
    await events.close();
    await db.close();
  }
  return recorded;
}
