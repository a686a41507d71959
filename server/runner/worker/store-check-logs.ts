import type { Logger } from 'pino';
import { type HostedRepository, hostColumns, isConnected } from '../../access/hosted-repository.ts';
import { type CodeHosts, HostError, hasPassed } from '../../code/index.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { hiding } from '../../telemetry/hide-secrets.ts';
import { commandLog } from './commands/command-log.ts';

const BATCH = 10;

/**
 * Stores the logs of checks on other hosts that have failed, cleaned and bounded as those of this server,
 * so that people read them and agents are given them in the same way. Any number of processes may do
 * it. Returns how many were stored.
 */
export async function storeCheckLogs(db: Database, hosts: CodeHosts, log: Logger): Promise<number> {
  const due = await db.many<HostedRepository & { id: string; hostCheckId: number }>(sql`
    select c.id, c.host_check_id::float8 as "hostCheckId", ${hostColumns}
      from check_suite s
      join pull_request pr on pr.task_id = s.task_id and pr.head_sha = s.head_sha
      join check_run c on c.suite_id = s.id
      join repository r on r.id = pr.repository_id
      join project p on p.id = r.project_id
     where s.conclusion = 'failed' and pr.state = 'open' and pr.url is not null
       and ${isConnected} and r.unavailable_reason is null
       and c.host_check_id is not null and c.state = 'completed' and not ${hasPassed(sql`c`)}
       and not exists (select from check_log l where l.check_id = c.id)
     order by c.completed_at limit ${BATCH}`);
  let stored = 0;
  for (const { id, hostCheckId, ...place } of due) {
    const readCheckLog = hosts.of(place)?.readCheckLog;
    if (readCheckLog === undefined) continue;
    const text = commandLog(hiding([]));
    try {
      text.add(Buffer.from(await readCheckLog(place, hostCheckId)));
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      log.warn({ err: error, check: id }, 'the log of a check could not be read');
      if (error.passes) return stored;
      text.add(Buffer.from(`${error.message}.\n`));
    }
    // Of two that have read it, one stores it. Unless the check is gone.
    await db.many(sql`
      insert into check_log (check_id, content)
      select id, ${text.text()} from check_run where id = ${id}
      on conflict do nothing`);
    stored += 1;
  }
  return stored;
}
