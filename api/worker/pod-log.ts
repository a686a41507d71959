import { type Database, DatabaseUnavailable } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { type Lease, LostLease, owned } from './lease.ts';

/** What the agent of a pod writes beside its messages, mostly to standard error. */
export interface PodLog {
  line(text: string): void;
  /** Stores what was not stored yet. */
  end(): Promise<void>;
}

/** Bytes that are kept of a pod: the last ones. */
const KEPT = 65_536;
/** Between two times that it is stored, in milliseconds. */
const EVERY = 2_000;

/**
 * Keeps the last lines of a pod's log, in the order in which they come. `secrets` are values that
 * its agent knows: they, and what looks like a key, are replaced. What cannot be stored is left
 * out: it is no failure of the turn.
 */
export function podLog(
  db: Database,
  lease: Lease,
  podId: string,
  secrets: readonly string[],
): PodLog {
  let added = '';
  let timer: NodeJS.Timeout | undefined;
  let storing = Promise.resolve();

  const store = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = added;
    added = '';
    if (text === '') return;
    storing = storing.then(() => append(db, lease, podId, text));
  };

  return {
    line(text) {
      added = lastOf(`${added}${clean(text, secrets)}\n`);
      timer ??= setTimeout(store, EVERY).unref();
    },
    end() {
      store();
      return storing;
    },
  };
}

const append = (db: Database, lease: Lease, podId: string, text: string): Promise<void> =>
  db
    .transaction(async (tx) => {
      const [known] = await tx.many<{ content: string }>(sql`
        with owned as materialized (${owned(lease)})
        select coalesce(l.content, '') as content
          from owned left join pod_log l on l.pod_id = ${podId}`);
      if (known === undefined) return;
      const content = lastOf(known.content + text);
      await tx.many(sql`
        insert into pod_log as l (pod_id, content) values (${podId}, ${content})
        on conflict (pod_id) do update set content = excluded.content, updated_at = now()`);
    })
    .catch((error) => {
      if (!(error instanceof LostLease || error instanceof DatabaseUnavailable)) throw error;
    });

/** At most KEPT bytes, from the beginning of a line. */
function lastOf(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= KEPT) return text;
  const end = bytes.subarray(bytes.length - KEPT);
  return end.subarray(end.indexOf(0x0a) + 1).toString();
}

const HIDDEN = '[hidden]';
const MAX_LINE = 4_000;

/** What keys of well-known services look like, and values that are named as secrets. */
const KEYS =
  /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|xox[abprs]|github_pat)[-_][\w-]{10,}|\bAKIA[A-Z0-9]{12,}/g;
const BEARER = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi;
// Begins where a word does: to begin within one would take the square of its length.
const NAMED =
  /(?<![\w-])([\w-]*(?:password|passwd|secret|token|api[-_]?key)["']?\s*[:=]\s*["']?)[^\s"',;]{4,}/gi;
const IN_URL = /(:\/\/[^\s/:@]+:)[^\s/@]+@/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are looked for.
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)?/g;

/** A line without secrets, escape sequences and control characters. */
export function clean(text: string, secrets: readonly string[]): string {
  let line = text.slice(0, MAX_LINE).toWellFormed();
  line = line
    .replace(ESCAPES, '')
    .replace(/(?!\t)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '');
  for (const secret of secrets) if (secret.length >= 6) line = line.replaceAll(secret, HIDDEN);
  return line
    .replace(KEYS, HIDDEN)
    .replace(BEARER, `$1 ${HIDDEN}`)
    .replace(NAMED, `$1${HIDDEN}`)
    .replace(IN_URL, `$1${HIDDEN}@`);
}
