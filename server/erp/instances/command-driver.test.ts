import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { processesOf } from '../../platform/pods/process/descendants.ts';
import { makeInstances, specOf } from '../../testing/fixtures/erp/instances.ts';
import { until } from '../../testing/harness/until.ts';
import { InstanceError } from './instance-driver.ts';
import { markOfInstance } from './launch-program.ts';
import { portsIn } from './ports.ts';

/** What is particular to instances that are programs of this machine. */

const program = (start: string[], remove?: string[]) => [
  { version: '19.0', editions: ['community' as const], start, ...(remove && { remove }) },
];
const node = (script: string) => [process.execPath, '-e', script];
const STAYS = 'setInterval(() => {}, 1000);';

test('a program is given its values as placeholders and in its environment, and nothing of the server', async (t) => {
  const show = `require('fs').writeFileSync('seen.json',
    JSON.stringify({ args: process.argv.slice(1), env: process.env })); ${STAYS}`;
  const values = ['{id}', '{name}:{port}', '{database}', '{folder}', '{version} {edition}'];
  const driver = await makeInstances(t, { programs: program([...node(show), '--', ...values]) });
  const spec = specOf(randomUUID());
  process.env.GUILDHALL_TEST_SECRET = 'sk_live_secret';
  await driver.create(spec);
  await driver.start(spec);
  delete process.env.GUILDHALL_TEST_SECRET;
  const folder = join(driver.directory, spec.id, 'data');
  const port = new URL((await driver.url(spec.id)) ?? '').port;
  const file = join(folder, 'seen.json');
  await until('it has begun', async () => (await readFile(file, 'utf8').catch(() => '')) !== '');
  const { args, env } = JSON.parse(await readFile(file, 'utf8'));
  const name = `guildhall-${spec.id}`;
  assert.deepEqual(args, [spec.id, `${name}:${port}`, spec.database, folder, '19.0 community']);
  assert.equal(env.GUILDHALL_INSTANCE_PASSWORD, spec.password);
  assert.equal(env.GUILDHALL_INSTANCE_PORT, port);
  assert.ok(!JSON.stringify(env).includes('sk_live_secret'));
  assert.ok(!args.join(' ').includes(spec.password));
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
});

test('what a program prints is kept up to a bound; the last of it says why it has ended', async (t) => {
  const script = `for (let i = 0; i < 3000; i += 1) console.log('x'.repeat(1000));
    console.error('the port is taken'); process.exitCode = 3;`;
  const driver = await makeInstances(t, { programs: program(node(script)) });
  const spec = specOf(randomUUID());
  await driver.create(spec);
  await driver.start(spec);
  await until('it has ended', async () => (await driver.find(spec.id)).reason !== undefined);
  const { state, reason } = await driver.find(spec.id);
  assert.equal(state, 'stopped');
  assert.match(reason ?? '', /^Its program ended\. .*the port is taken$/);
  const sizes = await Promise.all(
    ['log', 'log.old'].map(
      async (name) => (await stat(join(driver.directory, spec.id, name))).size,
    ),
  );
  for (const size of sizes) assert.ok(size > 0 && size <= 512 * 1024, `${size}`);
});

test('its own program removes an instance; until that succeeds, its folder stays', async (t) => {
  const remove = node(`const fs = require('fs');
    if (!fs.existsSync('../../allowed')) { console.error('the database is in use'); process.exit(1); }
    fs.writeFileSync('../../removed', process.env.GUILDHALL_INSTANCE_DATABASE);`);
  const driver = await makeInstances(t, { programs: program(node(STAYS), remove) });
  const spec = specOf(randomUUID());
  await driver.create(spec);
  await driver.start(spec);
  await assert.rejects(driver.destroy(spec.id), { code: 'unavailable', message: /is in use$/ });
  assert.equal((await driver.find(spec.id)).state, 'stopped');
  await writeFile(join(driver.directory, 'allowed'), '');
  await driver.destroy(spec.id);
  assert.equal(await readFile(join(driver.directory, 'removed'), 'utf8'), spec.database);
  assert.equal((await driver.find(spec.id)).state, 'absent');
});

test('a program that removes and does not end is ended itself', async (t) => {
  const programs = program(node(STAYS), node(STAYS));
  const driver = await makeInstances(t, { programs, removeWithin: 200 });
  const spec = specOf(randomUUID());
  await driver.create(spec);
  await assert.rejects(driver.destroy(spec.id), { code: 'unavailable' });
  assert.deepEqual(await processesOf(markOfInstance(spec.id)), []);
});

test('descendants that leave the process group end with their instance', async (t) => {
  const script = `require('child_process').spawn('setsid', ['sleep', '61']); ${STAYS}`;
  const driver = await makeInstances(t, { programs: program(node(script)) });
  const spec = specOf(randomUUID());
  const processes = () => processesOf(markOfInstance(spec.id));
  await driver.create(spec);
  await driver.start(spec);
  await until('all run', async () => (await processes()).length >= 3);
  await driver.release(spec.id);
  assert.deepEqual(await processes(), []);
});

test('race: many that are started at once have ports of their own', async (t) => {
  const driver = await makeInstances(t);
  const ports = portsIn(driver.directory);
  const ids = Array.from({ length: 30 }, () => randomUUID());
  await Promise.all(ids.map((id) => driver.create(specOf(id))));
  const given = await Promise.all(ids.map((id) => ports.reserve(id)));
  assert.equal(new Set(given).size, ids.length);
  for (const [i, id] of ids.entries()) assert.equal(await ports.of(id), given[i]);
});

test('a port that another program has taken since is not given again', async (t) => {
  const driver = await makeInstances(t);
  const ports = portsIn(driver.directory);
  const { id } = await driver.create(specOf(randomUUID()));
  const first = await ports.reserve(id);
  assert.equal(await ports.reserve(id), first);
  const taker = createServer();
  await new Promise<void>((resolve) => taker.listen(first, '127.0.0.1', resolve));
  t.after(() => taker.close());
  assert.notEqual(await ports.reserve(id), first);
  assert.equal((await readdir(join(driver.directory, 'ports'))).length, 1);
});

test('a restart keeps what a reset removes; its log and its mails are read without its password', async (t) => {
  const start = `const fs = require('fs');
    const { GUILDHALL_INSTANCE_MAILS: mails, GUILDHALL_INSTANCE_PASSWORD: secret } = process.env;
    fs.appendFileSync('starts', 'x');
    fs.mkdirSync(mails, { recursive: true });
    const mail = { sender: 'a', recipients: ['b', 7], subject: 'c\\u0000', text: 't'.repeat(20000) };
    fs.writeFileSync(mails + '/1.json', JSON.stringify(mail));
    fs.writeFileSync(mails + '/2.json', 'no mail');
    fs.symlinkSync('/etc/passwd', mails + '/3.json');
    console.log('It is ' + secret); ${STAYS}`;
  const programs = program(node(start), node("require('fs').rmSync('starts')"));
  const driver = await makeInstances(t, { programs });
  const spec = specOf(randomUUID());
  await driver.create(spec);
  await driver.start(spec);
  const starts = () =>
    readFile(join(driver.directory, spec.id, 'data/starts'), 'utf8').catch(() => '');
  const log = async () => (await driver.log?.(spec.id, spec.password)) ?? '';
  await until('it has said so', async () => (await log()) !== '');
  assert.equal((await log()).includes(spec.password), false);
  const mails = (await driver.takeMails?.(spec.id)) ?? [];
  assert.deepEqual(
    mails.map((mail) => ({ ...mail, text: mail.text.length })),
    [{ sender: 'a', recipients: ['b', ''], subject: 'c', text: 16_000 }],
  );
  assert.deepEqual(await driver.takeMails?.(spec.id), []);
  for (const [how, left] of [
    ['restart', 'xx'],
    ['reset', 'x'],
  ] as const) {
    await driver.again?.(spec.id, how);
    assert.deepEqual(await processesOf(markOfInstance(spec.id)), []);
    await driver.start(spec);
    await until(`it runs after a ${how}`, async () => (await starts()) === left);
  }
});

test('a command is run beside what serves, one at a time, and ends with its signal', async (t) => {
  const say =
    "console.log(require('fs').readFileSync(process.env.GUILDHALL_INSTANCE_COMMAND, 'utf8'))";
  const [first] = program(node(STAYS));
  const run = node(`${say}; if (process.env.GUILDHALL_INSTANCE_PASSWORD) ${STAYS}`);
  const quick = await makeInstances(t, { programs: [{ ...first, run: node(say) } as never] });
  const slow = await makeInstances(t, { programs: [{ ...first, run } as never] });
  const spec = specOf(randomUUID());
  const command = { what: 'shell', script: 'print(1)' } as const;
  const { signal } = new AbortController();
  assert.equal(await quick.run?.(spec, command, { signal }), undefined);
  for (const driver of [quick, slow]) await driver.create(spec);
  const ended = await quick.run?.(spec, command, { signal });
  assert.deepEqual([ended?.code, JSON.parse(ended?.log ?? '')], [0, command]);
  const ending = new AbortController();
  const running = slow.run?.(spec, command, { signal: ending.signal });
  await assert.rejects(slow.run?.(spec, command, { signal }) ?? Promise.resolve(), {
    code: 'unavailable',
  });
  ending.abort(new Error('the turn has ended'));
  await assert.rejects(running ?? Promise.resolve(), /the turn has ended/);
});

test('tests that need what does not answer have not failed: they are to be run again', async (t) => {
  const report = `require('fs').writeFileSync(process.env.GUILDHALL_INSTANCE_REPORT,
    JSON.stringify({ unavailable: true, seconds: 0 })); process.exitCode = 1;`;
  const [first] = program(node(STAYS));
  const driver = await makeInstances(t, {
    programs: first === undefined ? [] : [{ ...first, test: node(report) }],
  });
  const spec = specOf(randomUUID());
  const { signal } = new AbortController();
  await assert.rejects(
    driver.test?.(spec, { signal, onLog: () => {} }) ?? assert.fail(),
    (error) => error instanceof InstanceError && error.code === 'unavailable',
  );
  await driver.destroy(spec.id);
  assert.deepEqual(await driver.list(), []);
});
