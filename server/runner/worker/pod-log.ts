import { type Database, DatabaseUnavailable } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Hide } from '../../telemetry/hide-secrets.ts';
import { outputOf } from './commands/output.ts';
import { type Lease, LostLease, owned } from './lease.ts';

/** What the agent of a pod writes beside its messages, mostly to standard error. */
interface PodLog {
  line(text: string): void;
  /** Stores what was not stored yet. Rejects with what was wrong before. */
  end(): Promise<void>;
}

/** Bytes that are kept of a pod: the last ones. */
const KEPT = 65_536;
/** Between two times that it is stored, in milliseconds. */
const EVERY = 2_000;

/**
 * Keeps the last lines of a pod's log, in the order in which they come; `hide` removes the secrets
 * that its agent knows. What cannot be stored is left out: it is no failure of the turn.
 */
export function podLog(db: Database, lease: Lease, podId: string, hide: Hide): PodLog {
  const output = outputOf(KEPT, hide);
  /** What the turns before have left. */
  let before: string | undefined;
  let grown = false;
  let timer: NodeJS.Timeout | undefined;
  let storing = Promise.resolve();

  const append = (growing: boolean): Promise<void> =>
    db
      .transaction(async (tx) => {
        const [known] = await tx.many<{ content: string }>(sql`
          with owned as materialized (${owned(lease)})
          select coalesce(l.content, '') as content
            from owned left join pod_log l on l.pod_id = ${podId}`);
        if (known === undefined) return;
        before ??= known.content;
        const { text, whole } = output.end({ growing });
        const content = lastOf(whole ? before + text : text);
        await tx.many(sql`
          insert into pod_log as l (pod_id, content) values (${podId}, ${content})
          on conflict (pod_id) do update set content = excluded.content, updated_at = now()`);
      })
      .catch((error) => {
        if (!(error instanceof LostLease || error instanceof DatabaseUnavailable)) throw error;
      });

  const store = (growing: boolean) => {
    clearTimeout(timer);
    timer = undefined;
    if (!grown) return;
    storing = storing.then(() => append(growing));
    // `end` rejects with it; until then no one waits, and it must not end the process.
    storing.catch(() => {});
  };

  return {
    line(text) {
      output.add(Buffer.from(`${text}\n`));
      grown = true;
      timer ??= setTimeout(store, EVERY, true).unref();
    },
    end() {
      store(false);
      return storing;
    },
  };
}

/** At most KEPT bytes, from the beginning of a line. */
function lastOf(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= KEPT) return text;
  const end = bytes.subarray(bytes.length - KEPT);
  return end.subarray(end.indexOf(0x0a) + 1).toString();
}
