import { randomUUID } from 'node:crypto';
import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import { type Refusal, storeArtifact } from '../platform/files/store-artifact.ts';
import type { User } from './fixtures.ts';

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

type Stores = { db: Database; files: FileStore };

/** Attaches a file to a task as a person does, or to its project only. Returns its id. */
export async function attach(
  { db, files }: Stores,
  { project, task = null, by }: { project: string; task?: string | null; by: User },
  bytes = Buffer.from('attached'),
): Promise<string> {
  const key = `${project}/${randomUUID()}`;
  const { size, sha256 } = await files.put(key, once(bytes), bytes.length);
  const { id } = await db.one<{ id: string }>(sql`
    insert into attachment
           (project_id, task_id, uploaded_by_user_id, name, media_type, size, sha256, storage_key)
    values (${project}, ${task}, ${by.id}, 'attached.txt', 'text/plain', ${size}, ${sha256}, ${key})
    returning id`);
  return id;
}

/** A turn of a task that no worker runs. Returns its id. */
export const turnOf = async (db: Database, task: string): Promise<string> => {
  const { id } = await db.one<{ id: string }>(sql`
    with numbered as (
      update task set last_turn = last_turn + 1 where id = ${task} returning last_turn)
    insert into task_turn (task_id, number, kind, source, prompt, state, ended_at)
    select ${task}, last_turn, 'prompt', ${`test:${randomUUID()}`}, 'Do it', 'done', now()
      from numbered
    returning id`);
  return id;
};

/** Stores a file as a turn of the task does. Returns its id, or why it was refused. */
export async function produce(
  stores: Stores,
  task: string,
  options: {
    turn?: string;
    path?: string;
    fence?: bigint;
    bytes?: Buffer;
    perProject?: number;
  } = {},
): Promise<string | Refusal> {
  const result = await storeArtifact(
    { ...stores, perProject: options.perProject ?? 1e9 },
    {
      taskId: task,
      turnId: options.turn ?? (await turnOf(stores.db, task)),
      fence: options.fence ?? 0n,
      path: options.path ?? 'reports/produced.txt',
      bytes: once(options.bytes ?? Buffer.from('produced')),
    },
  );
  return 'stored' in result ? result.stored.id : result.refused;
}
