import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

test('a throwaway instance of the fake has no control paths', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'instance.ts')], {
    env: {
      ...process.env,
      GUILDHALL_INSTANCE_PORT: '0',
      GUILDHALL_INSTANCE_DATABASE: 'guildhall_x',
      GUILDHALL_INSTANCE_VERSION: '18.0',
      GUILDHALL_INSTANCE_EDITION: 'community',
      GUILDHALL_INSTANCE_PASSWORD: 'a-password-for-tests',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let said = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      said += text;
      if (said.includes('\n')) break;
    }
    const url = /http:\S+(?=\.\n)/.exec(said)?.[0] as string;
    assert.ok(url, said);
    assert.equal((await fetch(`${url}/web/login`)).status, 200);
    assert.equal((await fetch(`${url}/_control/requests`)).status, 404);
    const behaved = await fetch(`${url}/_control/behave`, {
      method: 'POST',
      body: '{"slow":60000}',
    });
    assert.equal(behaved.status, 404);
  } finally {
    child.kill('SIGKILL');
  }
});
