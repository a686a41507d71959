import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { gitDirOf } from '../server/code/repositories/git.ts';
import { startGit } from '../server/code/repositories/git-streams.ts';
import { makeRepository } from '../server/code/repositories/make-repository.ts';
import { openDatabase } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { backup } from '../server/main/backup/backup.ts';
import type { Step } from '../server/main/backup/progress.ts';
import { restore } from '../server/main/backup/restore.ts';
import { readConfig } from '../server/platform/config/config.ts';
import { fixturesOn } from '../server/testing/fixtures/tenants.ts';
import { onScratchDatabase } from './scratch.ts';
import type { Setting } from './setting.ts';

/** How long a backup and a restore take, with how much memory, of many tasks and large repositories. */

const PROJECTS = 20;
const MESSAGES = 10;
const EVENTS = 50;
const FILE = 128 * 1024;
const FILES_OF_COMMIT = 16;
const GIB = 1024 ** 3;
const SECRET = 'a secret for the bench, which is long enough';

export async function measureBackup({ adminUrl, quick, say }: Setting): Promise<void> {
  const [tasks, bytes] = quick ? [10_000, GIB] : [10_000, 5 * GIB];
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-bench-'));
  const config = (url: string, name: string) =>
    readConfig({ DATABASE_URL: url, DATA_DIR: join(folder, name), SERVER_SECRET: SECRET });
  const file = join(folder, 'all.guildhall');
  try {
    await onScratchDatabase(adminUrl, 'bench_backup', async (url) => {
      const from = config(url, 'from');
      await fill(url, from.repositories, { tasks, bytes, say });
      const written = await timed(say, (onStep) =>
        backup(from, {
          file,
          overwrite: false,
          includeSecret: false,
          allowMissing: false,
          onStep,
        }),
      );
      const { size } = await stat(file);
      print('backup', written, `${(size / GIB).toFixed(2)} GiB`);
    });
    await onScratchDatabase(adminUrl, 'bench_restore', async (url) => {
      const client = new pg.Client(url);
      await client.connect();
      await client.query('drop schema public cascade; create schema public');
      await client.end();
      const read = await timed(say, (onStep) =>
        restore(config(url, 'to'), { file, acceptOtherSecret: false, onStep }),
      );
      print('restore', read, '');
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Timed {
  seconds: number;
  peakMib: number;
  parts: Map<string, number>;
}

/** With how long each kind of step has taken. */
async function timed(
  say: (line: string) => void,
  work: (onStep: (step: Step) => void) => Promise<unknown>,
): Promise<Timed> {
  const parts = new Map<string, number>();
  let [last, at, peak] = ['begin', performance.now(), 0];
  const began = at;
  const next = (what: string) => {
    const now = performance.now();
    parts.set(last, (parts.get(last) ?? 0) + (now - at) / 1_000);
    [last, at] = [what, now];
  };
  const looking = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 100);
  await work(({ what, which }) => {
    const kind = what === 'write' ? `${what} ${which}` : what;
    if (kind === last) return;
    say(kind);
    next(kind);
  }).finally(() => clearInterval(looking));
  next('');
  return { seconds: (at - began) / 1_000, peakMib: peak / 1024 ** 2, parts };
}

function print(name: string, { seconds, peakMib, parts }: Timed, more: string): void {
  const each = [...parts]
    .filter(([, took]) => took >= 0.5)
    .map(([part, took]) => `${part} ${took.toFixed(1)} s`);
  process.stdout.write(
    `${name}: ${seconds.toFixed(1)} s ${more}, at most ${peakMib.toFixed(0)} MiB of memory: ${each.join(', ')}\n`,
  );
}

interface Fill {
  tasks: number;
  bytes: number;
  say(line: string): void;
}

async function fill(url: string, directory: string, { tasks, bytes, say }: Fill): Promise<void> {
  const db = openDatabase({ url, statementTimeout: 600_000 });
  const fixtures = fixturesOn(db);
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '100.00' });
  const projects: string[] = [];
  for (let i = 0; i < PROJECTS; i++)
    projects.push(await fixtures.project({ organizationId: workspace }));
  say(`${tasks} tasks …`);
  await db.many(sql`
    with made as (
      insert into task (project_id, title, created_by_user_id, last_message)
      select (${projects}::uuid[])[1 + n % ${PROJECTS}::int], 'Task ' || n, ${owner.id}, ${MESSAGES}
        from generate_series(1, ${tasks}::int) n returning id),
    said as (
      insert into task_message (task_id, number, role, author_user_id, content)
      select id, n, 'user', ${owner.id}, repeat('Write the notes of ' || id || '. ', 20)
        from made, generate_series(1, ${MESSAGES}::int) n),
    logs as (
      insert into task_log (task_id, last_seq, fence, owner)
      select id, ${EVENTS}, 1, 'bench' from made)
    insert into task_event (task_id, seq, type, payload)
    select id, n, 'message', json_build_object('text', repeat('Step ' || n || ' is done. ', 20))::text
      from made, generate_series(1, ${EVENTS}::int) n`);
  for (const [i, project] of projects.entries()) {
    say(`repository ${i + 1} of ${PROJECTS} …`);
    await fillRepository(gitDirOf(directory, project), bytes / PROJECTS);
  }
  await db.close();
}

/** Files that do not compress, so that the repository has as many bytes. */
async function fillRepository(gitDir: string, bytes: number): Promise<void> {
  await makeRepository(gitDir);
  const git = startGit(['-c', 'core.compression=0', 'fast-import', '--quiet', '--force'], gitDir);
  const write = async (some: string | Buffer) => {
    if (!git.stdin.write(some)) await once(git.stdin, 'drain');
  };
  for (let written = 0, n = 1; written < bytes; n++) {
    await write(
      `commit refs/heads/main\ncommitter Bench <bench@example.com> ${n} +0000\ndata 4\nWork\n`,
    );
    for (let i = 0; i < FILES_OF_COMMIT; i++, written += FILE) {
      await write(`M 100644 inline ${n}/${i}\ndata ${FILE}\n`);
      await write(randomBytes(FILE));
      await write('\n');
    }
  }
  git.stdin.end();
  await git.done;
}
