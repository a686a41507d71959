import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../testing/fixtures/tasks/file-stores.ts';
import { knownSecrets, serverSecret } from './server-secret.ts';

const unset = { serverSecret: undefined, previousServerSecret: undefined };
const inFolder = (dataDir: string) => ({ ...unset, dataDir });

test('a secret is made once, and is kept', async () => {
  const at = inFolder(join(await temporaryFolder(), 'data'));
  assert.equal(await knownSecrets(at), undefined);
  const made = await serverSecret(at);
  assert.ok(made.length >= 32);
  assert.equal(await serverSecret(at), made);
  assert.deepEqual(await readdir(at.dataDir), ['server-secret']);
  assert.equal((await knownSecrets(at))?.current, made);
});

test('a stored secret that is empty or short is refused, and stays as it is', async () => {
  const dataDir = await temporaryFolder();
  const file = join(dataDir, 'server-secret');
  for (const [text, said] of [
    ['', /at least 32 characters, and is empty: put a copy/],
    ['\n', /is empty/],
    ['too short\n', /and has 9:/],
  ] as const) {
    await writeFile(file, text);
    await assert.rejects(serverSecret(inFolder(dataDir)), said);
    await assert.rejects(knownSecrets(inFolder(dataDir)), said);
    assert.equal(await readFile(file, 'utf8'), text);
  }
  const given = 'a secret that was set, which is long enough';
  assert.equal(await serverSecret({ ...inFolder(dataDir), serverSecret: given }), given);
});

test('a stored secret that cannot be read is not taken for none', async () => {
  const dataDir = await temporaryFolder();
  await mkdir(join(dataDir, 'server-secret'));
  await assert.rejects(serverSecret(inFolder(dataDir)), /cannot be read by this user \(EISDIR\)/);
  await assert.rejects(knownSecrets(inFolder(dataDir)), /cannot be read by this user \(EISDIR\)/);
  assert.deepEqual(await readdir(dataDir), ['server-secret']);
});
