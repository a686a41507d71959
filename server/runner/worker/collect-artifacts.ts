import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type FileStore, FileStoreUnavailable } from '../../platform/files/file-store.ts';
import { ARTIFACT_BYTES } from '../../platform/files/limits.ts';
import { type Refusal, storeArtifact } from '../../platform/files/store-artifact.ts';
import { PodError, type PodFiles } from '../../platform/pods/pod.ts';
import { hidingValues, type ValueHiding } from '../../telemetry/hide-secrets.ts';
import type { Turn } from './claim.ts';
import { LostLease } from './lease.ts';
import { isOutside, makeRoom } from './make-room.ts';
import { OWN_FOLDER, type Repositories } from './repository.ts';
import type { TurnWork } from './runner.ts';

/** Where an agent leaves files that are for people and not for the repository. */
export const ARTIFACTS = `${OWN_FOLDER}/artifacts`;

/** What one turn may leave; the bytes are those of all its files. */
const BOUNDS = { files: 50, bytes: 256 * 1024 * 1024, depth: 8, entries: 1_000 };

interface ArtifactPlace {
  db: Database;
  files: FileStore;
  repositories: Pick<Repositories, 'tracks'>;
  /** Bytes that the files of a project may take up. */
  perProject: number;
}

/**
 * Stores what the agent of a turn has left in its folder, and empties the folder. A file that the
 * turn has stored already, before its worker died, is not stored again. What cannot be kept is
 * reported as an event, and the turn goes on; while the file store cannot be used, nothing is
 * removed. `hide` removes secrets from texts and names. At most one file at a time is in the memory
 * of this process. Throws LostLease.
 */
export function artifactCollector(place: ArtifactPlace) {
  let last: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };

  return async (
    turn: Turn,
    work: TurnWork,
    pod: PodFiles,
    hide: ValueHiding = hidingValues([]),
  ): Promise<void> => {
    const refused: string[] = [];
    const found = await filesIn(pod, refused);
    if (found === undefined) return;
    const stored = await storedAlready(place.db, turn);
    const kept: string[] = [];
    let bytes = 0;
    for (const [index, path] of found.entries()) {
      work.signal.throwIfAborted();
      if (index >= BOUNDS.files || bytes >= BOUNDS.bytes) {
        refused.push(`${found.length - index} more files: a turn may leave ${INWORDS}`);
        break;
      }
      const outcome = await alone(() => keep(place, { turn, path, stored, pod, hide }));
      if (outcome === 'unavailable') {
        for (const done of kept) await pod.remove(`${ARTIFACTS}/${done}`).catch(() => {});
        const text = `${NOT_STORED}${refused.length > 0 ? `\n\n${notKept(refused)}` : ''}`;
        return work.append({ type: 'notice', payload: { text } });
      }
      if (typeof outcome === 'number') {
        bytes += outcome;
        kept.push(path);
      } else refused.push(`${path}: ${outcome}`);
    }
    await pod.remove(ARTIFACTS).catch(async (error) => {
      if (!isOutside(error)) throw error;
      await makeRoom(pod, ARTIFACTS, (path) => place.repositories.tracks(turn, path));
    });
    if (refused.length > 0)
      await work.append({ type: 'notice', payload: { text: notKept(refused) } });
  };
}

const INWORDS = `${BOUNDS.files} files and ${BOUNDS.bytes / 1024 ** 2} MiB`;
const MOST_TOLD = 20;
const TOO_MANY =
  `whatever came after the first ${BOUNDS.entries.toLocaleString('en')} files and folders: a turn ` +
  'may not leave more';

const NOT_STORED =
  'The file store cannot be used right now, so files of the agent for people were not stored. The ' +
  `work of this turn is kept, and the files stay in ${ARTIFACTS} of the pod: the end of the next ` +
  'build turn stores them. Send a message to have one.';

const notKept = (refused: string[]): string =>
  [
    'Some files of the agent were not kept:',
    // A name may hold line ends.
    ...refused.slice(0, MOST_TOLD).map((line) => `- ${line.replaceAll(/\p{Cc}/gu, '\u{fffd}')}`),
    ...(refused.length > MOST_TOLD ? [`- and ${refused.length - MOST_TOLD} more`] : []),
  ].join('\n');

/** Paths of files, relative to the folder; undefined when there is nothing. */
async function filesIn(pod: PodFiles, refused: string[]): Promise<string[] | undefined> {
  const found: string[] = [];
  let entries = 0;
  const walk = async (folder: string, depth: number): Promise<boolean> => {
    const content = await pod.list(`${ARTIFACTS}${folder}`);
    for (const { name, type } of content ?? []) {
      const path = `${folder}/${name}`.slice(1);
      entries += 1;
      if (entries > BOUNDS.entries) return true;
      if (type === 'file') found.push(path);
      else if (type === 'unnamed') refused.push(`${path}: its name is not UTF-8`);
      else if (type !== 'folder') refused.push(`${path}: it must be a file`);
      else if (depth >= BOUNDS.depth) refused.push(`${path}: it is in too many folders`);
      else await walk(`/${path}`, depth + 1);
    }
    return content !== undefined;
  };
  try {
    const isThere = await walk('', 1);
    // First, because not all lines are told.
    if (entries > BOUNDS.entries) refused.unshift(TOO_MANY);
    return isThere ? found : undefined;
  } catch (error) {
    if (error instanceof PodError && error.code === 'too_large') refused.push(error.message);
    else if (isOutside(error))
      refused.push(`${ARTIFACTS}: it must be a folder, and ${OWN_FOLDER} too`);
    else throw error;
    return found;
  }
}

interface Kept {
  turn: Turn;
  path: string;
  stored: Map<string, string>;
  pod: PodFiles;
  hide: ValueHiding;
}

/** The bytes of the file, or why it is not kept; `unavailable` while the store is. */
async function keep(place: ArtifactPlace, { turn, path: named, stored, pod, hide }: Kept) {
  const read = await pod.read(`${ARTIFACTS}/${named}`, { maxBytes: ARTIFACT_BYTES }).catch(refuse);
  if (typeof read === 'string') return read;
  if (read === undefined) return 'it cannot be read';
  const content = await hiddenIn(read, hide);
  const path = hide(named);
  if (stored.get(path) === createHash('sha256').update(content).digest('hex'))
    return content.length;
  const { taskId, turnId, fence } = turn;
  const produced = { taskId, turnId, fence, path, bytes: once(content) };
  const result = await storeArtifact(place, produced).catch((error) => {
    if (!(error instanceof FileStoreUnavailable)) throw error;
    return 'unavailable' as const;
  });
  if (result === 'unavailable') return result;
  if ('stored' in result) return content.length;
  if (result.refused === 'lost_fence') throw new LostLease(turn);
  return REASONS[result.refused];
}

/** A text without secrets; whatever else it is, as it is. */
async function hiddenIn(content: Buffer, hide: ValueHiding): Promise<Buffer> {
  if (!isUtf8(content) || content.includes(0)) return content;
  const text = content.toString();
  const shown = await hide.large(text);
  return shown === text ? content : Buffer.from(shown);
}

const REASONS: Record<Exclude<Refusal, 'lost_fence'>, string> = {
  path_refused: 'its name cannot be stored',
  too_large: 'it has more than 100 MiB',
  storage_full: 'the files of the project would take up too much',
};

function refuse(error: unknown): string {
  if (!(error instanceof PodError) || error.code === 'unavailable') throw error;
  return error.code === 'too_large' ? REASONS.too_large : 'it cannot be read';
}

/** The SHA-256 of what this turn has stored, by path. */
const storedAlready = async (db: Database, { turnId }: Turn): Promise<Map<string, string>> => {
  const rows = await db.many<{ path: string; sha256: string }>(sql`
    select path, sha256 from artifact where turn_id = ${turnId}`);
  return new Map(rows.map(({ path, sha256 }) => [path, sha256]));
};

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
