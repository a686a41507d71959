import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '../client/src/index.ts';
import { freePort } from '../server/testing/processes/programs.ts';
import { ROOT, read, SETTINGS } from './files.ts';

/**
 * docs/operations/debian.md is carried out as it is written, under a systemd of its own, whose root is that of the
 * machine with all changes in a folder of the test. Not: packages and certificates.
 */

const page = read('docs/operations/debian.md');
/** Blocks of commands by name, and files by path. */
const blocks = new Map(
  [...page.matchAll(/^```sh (\w+)\n([\s\S]*?)^```$/gm)].map(([, name = '', lines = '']) => [
    name,
    lines,
  ]),
);
const files = [...page.matchAll(/^```\w+ file=(\S+)(?: mode=(\d+))?\n([\s\S]*?)^```$/gm)].map(
  ([, path = '', mode = '0644', content = '']) => ({ path, mode, content }),
);

const block = (name: string): string => blocks.get(name) as string;

const postgres = process.env.GUILDHALL_TEST_DEBIAN;
const skip =
  process.getuid?.() !== 0
    ? 'only root can follow it'
    : postgres === undefined
      ? 'GUILDHALL_TEST_DEBIAN names no empty PostgreSQL with passwords'
      : false;

test('docs/operations/debian.md: its blocks are those that are tried, and its settings exist', () => {
  assert.deepEqual(
    [...blocks.keys()],
    ['packages', 'user', 'code', 'database', 'try', 'start', 'account'],
  );
  const settings = files.find(({ path }) => path === '/etc/guildhall/settings')?.content ?? '';
  for (const [, name = ''] of settings.matchAll(/^(\w+)=/gm))
    assert.ok(SETTINGS.has(name.replace(/_FILE$/, '')), name);
  for (const command of block('code').matchAll(/^npm run (\w+)/gm))
    assert.ok(JSON.parse(read('package.json')).scripts[command[1] as string]);
});

/** The machine's files, of which every change is kept in a folder, and this project at /opt/guildhall. */
const boot = (folder: string) => `set -eu
cd ${folder}
mount -t overlay overlay -o lowerdir=/,upperdir=${folder}/changes,workdir=${folder}/work root
mount --bind ${ROOT} root/opt/guildhall
mount -o remount,bind,ro root/opt/guildhall
mount -t proc proc root/proc
mount -t sysfs -o ro sysfs root/sys
mount -t tmpfs -o mode=755 tmpfs root/sys/fs/cgroup
mkdir root/sys/fs/cgroup/unified root/sys/fs/cgroup/systemd
mount -t cgroup2 cgroup2 root/sys/fs/cgroup/unified
mount -t cgroup -o none,name=systemd cgroup root/sys/fs/cgroup/systemd || umount root/sys/fs/cgroup/unified
mountpoint -q root/sys/fs/cgroup/unified || mount -t cgroup2 cgroup2 root/sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs root/run
mount -t tmpfs -o mode=1777 tmpfs root/tmp
mount --rbind /dev root/dev
mkdir root/run/lock
echo > root/etc/fstab
cp --recursive files/. root/
cd root
mkdir --parents mnt/machine
# Not chroot: in one, the kernel lets no user make the namespaces of agents.
pivot_root . mnt/machine
umount --lazy mnt/machine
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  /lib/systemd/systemd --system --unit=sysinit.target
`;

/** Starts it in namespaces of its own; \`run\` runs a script there, which must succeed, and returns its output. */
async function startSystemd(folder: string, env: Record<string, string | undefined>) {
  const machine = spawn(
    'unshare',
    [
      '--pid',
      '--fork',
      '--kill-child',
      '--mount',
      '--cgroup',
      '--uts',
      '--ipc',
      '--propagation=private',
      'sh',
      '-c',
      boot(folder),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const complaints = text(machine.stderr);
  const closed = once(machine, 'close');
  const first = async () =>
    (
      await readFile(`/proc/${machine.pid}/task/${machine.pid}/children`, 'utf8').catch(() => '')
    ).trim();
  const enter = async (script: string) => {
    const pid = await first();
    const child = spawn(
      'nsenter',
      [
        `--target=${pid}`,
        '--pid',
        '--mount',
        '--cgroup',
        '--uts',
        '--ipc',
        '--wdns=/opt/guildhall',
        'sh',
        '-eu',
        '-c',
        script,
      ],
      { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { code, out, err };
  };
  const close = async () => {
    machine.kill('SIGKILL');
    await closed;
  };
  const isUp = async () => {
    if (machine.exitCode !== null) assert.fail(await complaints);
    return /^(running|degraded)/.test(
      (await enter('systemctl is-system-running || true').catch(() => ({ out: '' }))).out,
    );
  };
  try {
    await until('systemd has started', isUp);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    run: async (script: string) => {
      const { code, out, err } = await enter(script);
      assert.equal(code, 0, `${script}\n${out}\n${err}`);
      return out;
    },
    close,
  };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 120_000; !(await holds()); await pause(200))
    assert.ok(Date.now() < end, `not in two minutes: ${what}`);
}

test('docs/operations/debian.md, followed to a merged task and a backup under systemd', {
  skip,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-debian-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  for (const name of ['changes', 'work', 'root', 'changes/opt/guildhall'])
    await mkdir(join(folder, name), { recursive: true });
  const own = await freePort();
  for (const { path, mode, content } of files) {
    const at = join(folder, 'files', path);
    await mkdir(dirname(at), { recursive: true });
    await writeFile(at, path === '/etc/guildhall/settings' ? `${content}PORT=${own}\n` : content);
    await chmod(at, Number.parseInt(mode, 8));
  }
  const { host, port, username, password } = new URL(postgres as string);
  const { run, close } = await startSystemd(folder, {
    PGHOST: host.split(':')[0],
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: 'postgres',
  });
  t.after(close);
  const at = `http://127.0.0.1:${own}`;
  const isReady = () =>
    fetch(`${at}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );

  await run(block('user'));
  await run(block('database').replaceAll('@127.0.0.1/', `@127.0.0.1:${port}/`));
  const tried = await run(block('try'));
  assert.match(tried, /ok +database: /);
  assert.match(tried, /ok +sandbox: agents are confined/);
  await run(block('start').replace(/^.*caddy.*$/m, ''));
  await until('the server is ready', isReady);
  assert.match(await run(block('account')), /https:\/\/guildhall\.example\.com\/links\//);

  const key = /gld_\w+/.exec(
    await run('guildhall keys create --email=you@example.com --name=try'),
  )?.[0];
  const api = createClient({ baseUrl: at, key: key ?? assert.fail() });
  const { id: project_id } = await api.post('/api/projects', {
    body: { name: 'Storefront', erp_version: '19.0', erp_edition: 'community' },
  });
  const { id: task_id } = await api.post('/api/projects/{project_id}/tasks', {
    project_id,
    body: { message: 'Add notes/greeting.md with a greeting.' },
  });
  const becomes = (status: string) =>
    until(`the task is ${status}`, async () => {
      const task = await api.get('/api/tasks/{task_id}', { task_id });
      assert.notEqual(task.status, 'failed', JSON.stringify(task));
      return task.status === status;
    });
  await becomes('awaiting_approval');
  await api.post('/api/tasks/{task_id}/plan/approve', { task_id });
  await becomes('ready');
  const { head_sha } = await api.post('/api/tasks/{task_id}/pull-request', { task_id });
  await api.post('/api/tasks/{task_id}/merge', {
    task_id,
    body: { expected_head_sha: head_sha as string },
  });
  await until('the task is merged', async () => {
    const merge = await api.get('/api/tasks/{task_id}/merge', { task_id });
    return merge.state === 'merged';
  });

  // It is started again when it is killed, and ends in order when it is stopped.
  const main = 'systemctl show --property=MainPID --value guildhall.service';
  const before = await run(main);
  await run('systemctl kill --signal=KILL --kill-who=main guildhall.service');
  await until('another one runs', async () => !['0\n', before].includes(await run(main)));
  await until('the server is ready again', isReady);
  await run(
    'for day in 01 02 03 04 05 06 07 08; do touch /var/backups/guildhall/2026-01-$day-030000.guildhall; done',
  );
  await run('systemctl start guildhall-backup.service');
  const kept = (await run('ls /var/backups/guildhall')).trim().split('\n');
  assert.deepEqual([kept.length, kept[0]], [7, '2026-01-03-030000.guildhall']);
  assert.match(
    await run('journalctl --unit=guildhall-backup --output=cat'),
    /\.guildhall is whole/,
  );
  assert.match(await run('systemctl list-timers --no-legend'), /guildhall-backup\.timer/);
  await run('systemctl stop guildhall.service');
  assert.match(
    await run('systemctl show --property=Result,ExecMainStatus guildhall.service'),
    /Result=success\nExecMainStatus=0/,
  );
  await run('! runuser --user=guildhall -- touch /opt/guildhall/package.json');
  await run('! runuser --user=nobody -- cat /etc/guildhall/server_secret');
  // Nothing of systemd's complaints is about these units.
  const complaints = await run('journalctl --no-pager --priority=warning --output=cat _PID=1');
  assert.doesNotMatch(complaints, /guildhall\S*\.(service|timer):\d+:/);
});
