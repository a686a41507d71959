import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import {
  FileMissing,
  type FileStore,
  FileStoreUnavailable,
} from '../../platform/files/file-store.ts';
import type { Pod } from '../../platform/pods/pod.ts';
import type { LinkedFile } from '../agents/agent.ts';
import type { Turn } from './claim.ts';
import { isOutside, makeRoom } from './make-room.ts';
import { OWN_FOLDER, type Repositories } from './repository.ts';
import { TurnFailed } from './runner.ts';

/** Files that people have given to the agent, in its pod. */
export interface GivenFiles {
  /** All that it has been sent so far, also with earlier messages. */
  all: LinkedFile[];
  /** Those that were sent with the message of this turn. */
  ofTurn: LinkedFile[];
}

interface Place {
  db: Database;
  files: FileStore;
  repositories: Pick<Repositories, 'tracks'>;
}

interface Sent {
  id: string;
  name: string;
  mediaType: string;
  size: number;
  key: string;
  ofTurn: boolean;
}

/**
 * Writes the attachments of all messages that the agent of a turn knows to the work tree of its
 * pod, each to `.guildhall/attachments/<id>/<name>`. One that is there already stays as it is. A
 * file or link of the agent that is in the way is removed; one of the repository is not. Throws
 * TurnFailed.
 */
export async function giveAttachments(
  { db, files, repositories }: Place,
  turn: Turn,
  pod: Pod,
): Promise<GivenFiles> {
  const given: GivenFiles = { all: [], ofTurn: [] };
  for (const { id, name, mediaType, size, key, ofTurn } of await sentFiles(db, turn)) {
    const folder = `${OWN_FOLDER}/attachments/${id}`;
    const file = { path: `${folder}/${safeName(name)}`, name, mediaType, size };
    const give = () => write(pod, folder, file, () => contentOf(files, key, size));
    try {
      await give().catch(async (error) => {
        if (!isOutside(error)) throw error;
        if (!(await makeRoom(pod.files, folder, (path) => repositories.tracks(turn, path))))
          throw error;
        await give();
      });
    } catch (error) {
      throw asFailure(error, name);
    }
    given.all.push(file);
    if (ofTurn) given.ofTurn.push(file);
  }
  return given;
}

/**
 * A turn that was resumed has the prompt of the turn before it, and so its attachments. Messages of
 * later turns have not been sent yet.
 */
const sentFiles = (db: Database, { taskId, number }: Turn): Promise<Sent[]> =>
  db.many<Sent>(sql`
    select a.id, a.name, a.media_type as "mediaType", a.size::float8 as size,
           a.storage_key as key,
           u.number >= (select max(number) from task_turn
                         where task_id = ${taskId} and number <= ${number}
                           and source not like 'resume:%') as "ofTurn"
      from task_turn u
      join task_message m on m.turn_id = u.id
      join attachment a on a.task_id = m.task_id and a.message_number = m.number
     where u.task_id = ${taskId} and u.number <= ${number}
     order by m.number, a.created_at, a.id`);

async function write(
  pod: Pod,
  folder: string,
  { path, size }: { path: string; size: number },
  content: () => Promise<Buffer>,
): Promise<void> {
  const there = await pod.files.list(folder);
  const name = path.slice(folder.length + 1);
  if (there?.some((file) => file.name === name && file.type === 'file' && file.size === size))
    return;
  await pod.files.write(path, await content());
}

async function contentOf(files: FileStore, key: string, size: number): Promise<Buffer> {
  if (size === 0) return Buffer.alloc(0);
  return Buffer.concat(await files.get(key, 0, size - 1).toArray());
}

const MAX_NAME = 200;

/**
 * A name that is safe as the last part of a path: without characters that change how it is read or
 * where it leads, and short enough for every file system. What follows its last dot is kept.
 */
export function safeName(name: string): string {
  const clean = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/gu, '_').replace(/^[-.~]+/, '_');
  if (Buffer.byteLength(clean) <= MAX_NAME) return clean;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(clean)?.[0] ?? '';
  const bytes = Buffer.from(clean).subarray(0, MAX_NAME - extension.length);
  // A character that was cut in the middle is left out.
  const whole = new TextDecoder().decode(bytes, { stream: true });
  return `${whole}${extension}`;
}

function asFailure(error: unknown, name: string): unknown {
  const again = 'Send a message to try again.';
  if (error instanceof FileStoreUnavailable)
    return new TurnFailed(`The attachment ${name} cannot be read right now. ${again}`);
  if (error instanceof FileMissing)
    return new TurnFailed(
      `The attachment ${name} is not in the file store any more: delete it, attach it again, and ` +
        'send a message.',
    );
  if (isOutside(error))
    return new TurnFailed(
      `Attachments cannot be given to the agent: ${OWN_FOLDER} in the repository of the project ` +
        'must be a folder, or missing. Rename what is there instead.',
    );
  return error;
}
