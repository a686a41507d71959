import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { test } from 'node:test';
import { requireStrength } from './password-strength.ts';
import { PARAMETERS, passwords } from './passwords.ts';

test('a hash is Argon2id in the PHC format, with a salt of its own; it fits its password alone', async () => {
  const { hash, verify } = passwords();
  const [first, second] = [await hash('vexing-lamp'), await hash('vexing-lamp')];
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.notEqual(first, second);
  for (const phc of [first, second])
    assert.deepEqual(await verify('vexing-lamp', phc), { right: true, outdated: false });
  for (const wrong of ['vexing-lamp ', 'Vexing-lamp', '', 'x'.repeat(256)])
    assert.equal((await verify(wrong, first)).right, false);
  assert.equal((await verify('vexing-lamp', undefined)).right, false);
});

test('a hash of other parameters is still checked, and is to be renewed', async () => {
  const salt = Buffer.from('a salt of 16 B!!');
  const options = { message: 'vexing-lamp', nonce: salt, parallelism: 1, tagLength: 32 };
  const key = argon2Sync('argon2id', { ...options, memory: 8192, passes: 3 });
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const phc = `$argon2id$v=19$m=8192,t=3,p=1$${text(salt)}$${text(key)}`;
  const { verify } = passwords();
  assert.deepEqual(await verify('vexing-lamp', phc), { right: true, outdated: true });
  assert.deepEqual(await verify('vexing', phc), { right: false, outdated: false });
  await assert.rejects(verify('x', 'plain text'), /PHC/);
  assert.equal(PARAMETERS.memory, 19_456);
});

test('503: few are made at once, few wait, and further ones are refused without any work', async () => {
  const { hash } = passwords({ cores: 1, waiting: 3 });
  const tried = await Promise.allSettled(Array.from({ length: 8 }, () => hash('vexing-lamp')));
  const refused = tried.filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 4);
  for (const each of refused)
    assert.equal((each as PromiseRejectedResult).reason.code, 'sign_in_busy');
  assert.match(await hash('vexing-lamp'), /^\$argon2id/);
});

test('422: what is used often, repeated, or known of its person is too weak; words of one’s own are not', async () => {
  const ada = { email: 'ada.byron@example.com', name: 'Ada Byron' };
  for (const weak of [
    'password1',
    'qwertyuiop',
    'aaaaaaaaaaaa',
    '12345678',
    'Guildhall1',
    'Ada Byron',
    'ada.byron@example.com',
    `${'x'.repeat(64)}`,
  ])
    await assert.rejects(requireStrength(weak, ada), { status: 422, code: 'password_too_weak' });
  for (const good of ['vexing-lamp-otter-41', 'correct horse battery staple', 'x8$kQ2!vNp0z'])
    await requireStrength(good, ada);
});
