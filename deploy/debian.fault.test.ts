import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { freePort } from '../server/testing/processes/programs.ts';
import { ROOT, read, SETTINGS } from './files.ts';

/**
 * docs/operations/debian.md is carried out as it is written, in a namespace with folders of its own in place
 * of those of the machine. Not: packages, certificates, and what needs a running systemd, whose units are
 * verified, and whose commands are run as their user.
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

const UNITS = files.filter(({ path }) => path.startsWith('/etc/systemd/system/'));
const block = (name: string): string => blocks.get(name) as string;
/** The values of a key of a unit, as systemd reads them. */
const valuesOf = (name: string, key: string): string[] =>
  [
    ...(UNITS.find(({ path }) => path.endsWith(`/${name}`))?.content ?? '').matchAll(
      new RegExp(`^${key}=(.*)$`, 'gm'),
    ),
  ].map(([, value = '']) => value.replaceAll('%%', '%'));

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

test('docs/operations/debian.md, followed to a server that answers, with its backup', {
  skip,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-debian-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const { host, port, username, password } = new URL(postgres as string);
  await cp('/etc', join(folder, 'etc'), { recursive: true, verbatimSymlinks: true });
  for (const name of ['opt/guildhall', 'var/lib', 'var/backups', 'usr/local/bin'])
    await mkdir(join(folder, name), { recursive: true });
  const own = await freePort();
  const put = files.map(({ path, mode, content }) => {
    const all = path === '/etc/guildhall/settings' ? `${content}PORT=${own}\n` : content;
    return { path, mode, all };
  });
  const [serve = ''] = valuesOf('guildhall.service', 'ExecStart');
  const [backup = ''] = valuesOf('guildhall-backup.service', 'ExecStart');
  const [prune = ''] = valuesOf('guildhall-backup.service', 'ExecStartPost');
  const asService = (command: string) =>
    `(set -a; . /etc/guildhall/settings; cd /opt/guildhall; exec runuser --user=guildhall -- ${command})`;
  const script = `set -eu
for name in etc opt var/lib var/backups usr/local/bin; do mount --bind ${folder}/$name /$name; done
mount --bind ${ROOT} /opt/guildhall
${block('user')}
cp --recursive ${folder}/files/. /
(${block('database').replaceAll('@127.0.0.1/', `@127.0.0.1:${port}/`)})
chgrp guildhall /etc/guildhall/*
systemd-analyze verify ${UNITS.map(({ path }) => path).join(' ')}
${block('try')}
${asService(serve)} &
server=$!
for i in $(seq 600); do
  ! node_modules/.bin/node -e "fetch('http://127.0.0.1:${own}/readyz').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))" || break
  sleep 0.2
done
${block('account')}
for day in 01 02 03 04 05 06 07 08; do touch /var/backups/guildhall/2026-01-$day-030000.guildhall; done
${asService(backup)}
${asService(prune)}
echo "kept: $(ls /var/backups/guildhall | wc --lines)"
echo "oldest: $(ls /var/backups/guildhall | head --lines=1)"
touch /opt/guildhall/package.json 2>/dev/null || true
! runuser --user=guildhall -- touch /opt/guildhall/package.json 2>/dev/null
! runuser --user=nobody -- cat /etc/guildhall/server_secret 2>/dev/null
kill -TERM $(pgrep --parent $server || echo $server)
wait $server
echo "the server has ended with status $?"
`;
  for (const { path, mode, all } of put) {
    const at = join(folder, 'files', path);
    await mkdir(dirname(at), { recursive: true });
    await writeFile(at, all);
    await chmod(at, Number.parseInt(mode, 8));
  }
  const child = spawn('unshare', ['--mount', 'sh', '-c', script], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      PGHOST: host.split(':')[0],
      PGPORT: port,
      PGUSER: decodeURIComponent(username),
      PGPASSWORD: decodeURIComponent(password),
      PGDATABASE: 'postgres',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  const all = `${out}\n${err}`;
  assert.equal(code, 0, all);
  assert.match(out, /ok +database: /);
  assert.match(out, /ok +sandbox: agents are confined/);
  assert.match(out, /https:\/\/guildhall\.example\.com\/links\//);
  assert.match(out, /\.guildhall is whole/);
  assert.match(out, /kept: 7\noldest: 2026-01-03/);
  assert.match(out, /the server has ended with status 0/);
  // Nothing of systemd's complaints is about these units.
  assert.doesNotMatch(err, /guildhall(-backup)?\.(service|timer)/);
});
