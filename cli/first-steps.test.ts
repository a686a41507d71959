import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { removeOutside } from '../server/db/embedded/outside.ts';
import { startHarness } from '../server/testing/harness/harness.ts';
import { type Served, serve } from '../server/testing/harness/serve.ts';
import { until } from '../server/testing/harness/until.ts';
import { jsonOf, runCommand, runProcess } from '../server/testing/processes/command.ts';
import { terminal } from '../server/testing/processes/shell.ts';

/**
 * What a newcomer pastes after `npm start` in an empty folder: the commands of README.md and of the
 * tutorial, and the lines of `guildhall first-steps`, as they stand there.
 */

const folder = await mkdtemp(join(tmpdir(), 'guildhall-first-'));
await chmod(folder, 0o755); // as root, the users of PostgreSQL and of pods have to pass
const { child, url, link } = (await serve({ DATA_DIR: join(folder, '.guildhall') }, [], {
  work: true,
})) as Served & { link: string };
after(async () => {
  child.kill('SIGTERM');
  await once(child, 'exit');
  await removeOutside(join(folder, '.guildhall'));
  await rm(folder, { recursive: true });
});
const steps = await runProcess(['first-steps'], { cwd: folder });
assert.deepEqual([steps.code, steps.err], [0, '']);
const printed = steps.out;
const [, exported = ''] = /^ {2}export (KEY=.*)$/m.exec(printed) ?? [];
const variables = Object.fromEntries(exported.split(' ').map((one) => one.split('=')));

/** Commands of the consoles of a section, with the output that it shows. */
function commandsOf(section: string): { command: string; shown: string }[] {
  return [...section.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [, command = '', shown = ''] = /^((?:[^\n]*\\\n)*[^\n]*\n)(.*)$/s.exec(text) ?? [];
        return { command: command.trim(), shown };
      }),
  );
}

/** Output without white space, in which ids, times and hashes are all the same. */
const plain = (text: string): string =>
  text
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'ID')
    .replaceAll(/\b[0-9a-f]{8}-…/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/task\/[0-9a-f]{8}\b/g, 'BRANCH')
    // One in a thousand short hashes has letters only, as a word may have: a line begins with it.
    .replaceAll(/\b[0-9a-f]{40}\b|^[0-9a-f]{7}(?= )|\b[0-9a-f]{8}…/gm, 'HASH')
    .replaceAll(/\s+/g, '');

/** What a command shows that a person repeats until it does. */
const WAITS = /"state":"(merged|success)"|"status":"(running|awaiting_approval)"/;

/** Whether output begins with what a document shows, where `…` stands for anything. */
function begins(out: string, shown: string, end = ''): boolean {
  const parts = plain(shown).split('…').map(RegExp.escape);
  return new RegExp(`^${parts.join('.*')}${end}`).test(plain(out));
}

test('the link signs the owner of the workshop in, once, without the second factor of the demo data', async () => {
  const token = /\/links\/([\w-]{43})$/.exec(link)?.[1];
  const use = () =>
    fetch(`${url}/auth/links/use`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token }),
    });
  const answer = await use();
  assert.equal(answer.status, 200, await answer.clone().text());
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  const account = await fetch(`${url}/api/account`, { headers: { cookie } });
  assert.equal(((await account.json()) as { email: string }).email, 'ada@example.com');
  assert.equal((await use()).status, 404);
});

const read = (file: string) => readFile(join(import.meta.dirname, '..', file), 'utf8');

test('README.md and the tutorial: the first call and the task, pasted one after the other, answer what they show', async () => {
  const readme = await read('README.md');
  const tutorial = await read('docs/tutorial.md');
  const run = terminal(folder, { PATH: process.env.PATH, ...variables });
  const [, first = ''] = /\n## A first call\n(.*?)\nInvalid input/s.exec(readme) ?? [];
  const [, task = ''] = /\n## A task from a message to a merge\n(.*?)\n## /s.exec(tutorial) ?? [];
  const commands = [...commandsOf(first), ...commandsOf(task)];
  assert.equal(commands.length, 19);
  for (const { command, shown } of commands) {
    const here = command.replaceAll('http://127.0.0.1:8080', url);
    const watched = shown.endsWith('^C\n');
    if (watched) await run(here, (out) => begins(out, shown.slice(0, -3)));
    // A worker plans, merges, deploys and makes ready within a second or two.
    else if (WAITS.test(shown))
      await until(command, async () => begins(await run(here), shown, '$'), 60_000);
    else {
      const out = await run(here);
      assert.ok(begins(out, shown, '$'), `${command}\n${out}`);
    }
  }
});

test('README.md: its task, pasted as a whole, ends with a pull request', async () => {
  const [, task = ''] = /\n## A task\n.*?```sh\n(.*?)```/s.exec(await read('README.md')) ?? [];
  const run = terminal(folder, { PATH: process.env.PATH, ...variables });
  const out = await run(task.replaceAll('http://127.0.0.1:8080', url));
  assert.match(out, /"newly_approved":true.*"status":"ready".*"head_sha":"[0-9a-f]{40}"/s);
});

test('its lines take a task from a message to a deploy', async () => {
  const [, text = ''] = /From a message to a deploy:(.*?)More to try/s.exec(printed) ?? [];
  const lines = text.split('\n').filter((line) => /^ {2}[^#]/.test(line));
  const run = terminal(folder, { PATH: process.env.PATH });
  const endsWith = (status: string) => (out: string) => out.includes(`"status":"${status}"}}\n\n`);
  const [create = '', plan = '', approve = '', build = '', open = '', ...after] = lines;
  const [merge = '', merged = '', deployed = '', clone = '', ...rest] = after;
  assert.deepEqual(rest, []);
  assert.match(await run(create), /^[0-9a-f-]{36}\n$/);
  await run(plan, endsWith('awaiting_approval'));
  assert.match(await run(approve), /"newly_approved":true/);
  await run(build, endsWith('ready'));
  assert.match(await run(open), /^[0-9a-f]{40}\n$/);
  assert.match(await run(merge), /"branch":"main","stage":"production"/);
  await until('the merge', async () => /"state":"merged"/.test(await run(merged)), 60_000);
  await until('the deploy', async () => /"state":"success"/.test(await run(deployed)), 60_000);
  assert.match(await run(clone), /^ notes\/greeting\.md \| 1 \+$/m);
});

test('the other lines are answered as well', async () => {
  const [, text = ''] = /More to try(.*)$/s.exec(printed) ?? [];
  const lines = text.split('\n').filter((line) => line.startsWith('  curl '));
  const run = terminal(folder, { PATH: process.env.PATH });
  const answers = [];
  for (const line of lines) answers.push(JSON.parse(await run(line)));
  const [people, invitations, approval, instance, ...rest] = answers;
  assert.deepEqual(rest, []);
  assert.deepEqual([people.length, invitations.length, approval.newly_approved], [6, 3, true]);
  assert.equal(instance.status, 'starting');
});

test('its key ends after a week, and is in the audit trail', async () => {
  const env = { DATA_DIR: join(folder, '.guildhall') };
  const keys = await jsonOf(['keys', 'list', '--email', 'ada@example.com'], { env });
  const [{ name, created_at, expires_at }] = keys;
  const days = (Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000;
  assert.deepEqual([name, Math.round(days)], ['first steps', 7]);
});

test('where there is no demo workshop, it says so and makes no key', async () => {
  const { databaseUrl, unchanged } = await startHarness();
  const env = { DATABASE_URL: databaseUrl };
  const { code, out, err } = await unchanged(() => runCommand(['first-steps'], { env }));
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /^There is no demo workshop here: .*docs\/tutorial\.md\.\n$/);
});
