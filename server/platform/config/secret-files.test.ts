import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { faultsOf } from '../../testing/harness/config-faults.ts';
import { readConfig } from './config.ts';
import { readSettings, SECRET_SETTINGS, shownSettings } from './settings.ts';
import { unknownNames } from './unknown-names.ts';

const folder = mkdtempSync(join(tmpdir(), 'guildhall-secrets-'));
after(() => rmSync(folder, { recursive: true }));

/** The path of a new file with this text. */
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

/** A value that each of them accepts, with a word that nothing may repeat. */
const VALUES: Record<string, string> = {
  DATABASE_URL: 'postgres://guildhall:hidden@db.example/guildhall?password=hidden',
  EVENT_DATABASE_URL: 'postgres://guildhall:hidden@events.example/guildhall',
  DATABASE_REPLICA_URLS:
    'postgres://guildhall:hidden@one.example/guildhall,postgres://guildhall:hidden@two.example/guildhall',
  SMTP_URL: 'smtps://user:hidden@mail.example',
  FILES_URL: 's3://hidden/folder',
  REDIS_URL: 'redis://:hidden@valkey.example:6379',
  DOCKER_HOST: 'unix:///hidden/docker.sock',
  GITHUB_APP_PRIVATE_KEY: privateKey,
  OIDC_PROVIDERS:
    '[{"id":"corp","name":"Corp","issuer":"https://id.example","client_id":"x","client_secret":"hidden"}]',
};
const aValueOf = (name: string) =>
  VALUES[name] ??
  (/_(URL|ENDPOINT|API_BASE)$/.test(name)
    ? 'https://user:hidden@host.example/path'
    : `hidden ${'x'.repeat(32)}`);

test('every setting that may hold a secret is read from a file, without the newline at its end', () => {
  assert.ok(SECRET_SETTINGS.length > 15);
  for (const name of SECRET_SETTINGS) {
    const read = (env: Record<string, string>) => {
      const faults: string[] = [];
      const values = readSettings(env, faults);
      assert.deepEqual(faults, [], name);
      return JSON.stringify(values);
    };
    const direct = read({ [name]: aValueOf(name) });
    assert.notEqual(direct, read({}), name);
    for (const end of ['', '\n', '\r\n']) {
      const env = { [`${name}_FILE`]: file(name, `${aValueOf(name).replace(/\n$/, '')}${end}`) };
      assert.equal(read(env), direct, name);
      assert.deepEqual(unknownNames(env), { faults: [], warnings: [] });
    }
  }
});

test('only the last newline is dropped: what stands before it belongs to the secret', () => {
  const long = 'x'.repeat(32);
  const { serverSecret } = readConfig({ SERVER_SECRET_FILE: file('two', `${long} \n\n`) });
  assert.equal(serverSecret, `${long} \n`);
});

test('a file that cannot be used is a fault of the start for every such setting, and repeats nothing', () => {
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
  const unusable: [string, RegExp][] = [
    [folder, /it is a folder$/],
    [join(folder, 'missing'), /it cannot be read \(ENOENT\)$/],
    [join(folder, 'dangling'), /it cannot be read \(ENOENT\)$/],
    [join(folder, 'pipe'), /it is not a regular file$/],
    [file('empty', ''), /it is empty$/],
    [file('newline', '\n'), /it is empty$/],
    [file('binary', 'hidden\0'), /it is not text$/],
    [file('large', 'hidden'.repeat(20_000)), /it is larger than 64 KiB$/],
  ];
  for (const name of SECRET_SETTINGS) {
    for (const [path, reason] of unusable) {
      const faults: string[] = [];
      readSettings({ [`${name}_FILE`]: path }, faults);
      assert.equal(faults.length, 1, name);
      const [fault = ''] = faults;
      assert.ok(fault.startsWith(`${name}_FILE must name a file`), fault);
      assert.match(fault, reason);
      assert.ok(!fault.includes('hidden'), fault);
    }
    const faults: string[] = [];
    readSettings({ [name]: aValueOf(name), [`${name}_FILE`]: file('one', aValueOf(name)) }, faults);
    const both = `${name}_FILE must not be set together with ${name}: remove one of them`;
    assert.deepEqual(faults, [both]);
  }
});

test('what a file contains is checked as the setting itself, and not repeated', () => {
  const faults = faultsOf({ SERVER_SECRET_FILE: file('short', 'hidden') });
  assert.deepEqual(faults, ['SERVER_SECRET must be at least 32 characters long']);
});

test('agents are not given the paths of secrets', () => {
  for (const name of SECRET_SETTINGS)
    assert.match(faultsOf({ PODS_ENV: `${name}_FILE` }).join(), /PODS_ENV must not name/);
});

test('what operators are shown has no secret, and says where each setting is from', () => {
  for (const name of SECRET_SETTINGS) {
    const given = [
      { [name]: aValueOf(name) },
      { [`${name}_FILE`]: file('secret', aValueOf(name)) },
    ] as Record<string, string>[];
    const [direct, inFile] = given.map(
      (env) => shownSettings(env).find((setting) => setting.name === name) ?? assert.fail(),
    );
    assert.deepEqual(
      [direct?.source, inFile?.source, direct?.secret],
      ['environment', 'file', true],
    );
    assert.equal(inFile?.value, undefined);
    if (name !== 'DOCKER_HOST') assert.doesNotMatch(JSON.stringify(direct), /hidden|PRIVATE KEY/);
  }
  const shown = shownSettings({ DATABASE_URL: VALUES.DATABASE_URL, SIGN_UP: 'open' });
  const of = (name: string) => shown.find((setting) => setting.name === name);
  assert.equal(of('DATABASE_URL')?.value, 'postgres://db.example/guildhall');
  const { DATABASE_REPLICA_URLS } = VALUES;
  const [replicas] = shownSettings({ DATABASE_REPLICA_URLS }).filter(
    ({ name }) => name === 'DATABASE_REPLICA_URLS',
  );
  assert.equal(
    replicas?.value,
    'postgres://one.example/guildhall,postgres://two.example/guildhall',
  );
  assert.deepEqual(of('SIGN_UP'), {
    name: 'SIGN_UP',
    secret: false,
    source: 'environment',
    value: 'open',
  });
  assert.deepEqual([of('PORT')?.source, of('PORT')?.value], ['default', '8080']);
  assert.equal(of('REDIS_URL')?.source, 'unset');
});

test('the documents name every setting that may be in a file', () => {
  const page = readFileSync(
    join(import.meta.dirname, '../../../docs/operations/secrets.md'),
    'utf8',
  );
  const [, paragraph = ''] = /\n## Secrets in files\n([\s\S]*?)\n## /.exec(page) ?? [];
  for (const name of SECRET_SETTINGS) assert.ok(paragraph.includes(`\`${name}\``), name);
});
