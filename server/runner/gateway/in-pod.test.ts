import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { KEY, MODEL, makeGateway, REPLY } from '../../testing/fixtures/runner/gateway.ts';
import { makePod, makePods, run, withoutSandbox } from '../../testing/fixtures/runner/pods.ts';
import { temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import { reaching } from './launch.ts';

/** The gateway as a program in a pod finds it: at an address, through the forwarder. */

const unconfined = await withoutSandbox();

/** Asks the model with each token in the arguments, then prints all that it can see. */
const PROGRAM = `
import { execFileSync } from 'node:child_process';
const [url, ...tokens] = process.argv.slice(1);
for (const token of tokens) {
  const answer = await fetch(url + '/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + token },
    body: JSON.stringify({ model: '${MODEL}', messages: [] }),
  });
  console.log(answer.status, await answer.text());
}
console.log(JSON.stringify(process.env));
const look = 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; find "$HOME" "$TMPDIR" . -type f -size -100k -exec cat {} +; ls "$GUILDHALL_SOCKETS"';
console.log(execFileSync('sh', ['-c', look + ' 2>/dev/null; true'], { encoding: 'latin1' }));
process.exitCode = 7;
`;

for (const sandbox of ['required', 'off'] as const) {
  const skip = sandbox === 'required' && unconfined;
  const where = sandbox === 'off' ? 'one that is not confined' : 'a confined pod';
  test(`${where} reaches its own model with its own token, and sees no key`, { skip }, async () => {
    const pod = await makePod(
      await makePods({ after: (close) => after(close as () => void) }, { sandbox }),
    );
    const { gateway, charges } = await makeGateway('openai');
    const other = await makeGateway('openai');
    const program = {
      id: 'program',
      command: 'node',
      env: { TOKEN: '{token}' },
      readable: [],
      args: ['--input-type=module', '-e', PROGRAM, '{base_url}', '{token}', other.gateway.token],
    };
    const { agent, sockets = {} } = reaching(program, MODEL, gateway);
    const { stdout, stderr, code } = await run(pod, { ...agent, tree: 'writable', sockets });
    assert.equal(code, 7, stderr);
    const [own = '', others = ''] = stdout.split('\n');
    assert.match(own, /^200 /);
    assert.ok(own.includes(REPLY.text));
    assert.match(others, /^401 .*not the token of this attempt/);
    assert.ok(stdout.includes(`"TOKEN":"${gateway.token}"`));
    // The address is known only to the forwarder and what it starts.
    assert.match(stdout, /http:\/\/127\.0\.0\.1:\d+/);
    assert.ok(!stdout.includes(KEY) && !stderr.includes(KEY));
    assert.deepEqual([charges.length, other.charges.length], [1, 0]);
  });
}

test('a script for node runs on the Node.js of the server, whatever the PATH has first', async (t) => {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755); // the users of pods have to pass
  const script = join(folder, 'agent');
  const text = '#!/usr/bin/env node\nconsole.log(process.version, ...process.argv.slice(2));\n';
  await writeFile(script, text, { mode: 0o755 });
  const pod = await makePod(await makePods(t));
  const { gateway } = await makeGateway('openai');
  const program = { id: 'script', command: script, args: ['a', 'b'], env: {}, readable: [folder] };
  const { agent, sockets = {} } = reaching(program, MODEL, gateway);
  const { stdout, stderr } = await run(pod, { ...agent, tree: 'writable', sockets });
  assert.equal(stdout, `${process.version} a b\n`, stderr);
});

test('a program that does not exist ends at once, as without the forwarder', async () => {
  const pod = await makePod(await makePods({ after: (close) => after(close as () => void) }));
  const { gateway } = await makeGateway('openai');
  const missing = { id: 'none', command: 'no-such-agent', args: [], env: {}, readable: [] };
  const { agent, sockets = {} } = reaching(missing, MODEL, gateway);
  const { code, stderr } = await run(pod, { ...agent, tree: 'writable', sockets });
  assert.equal(code, 127);
  assert.match(stderr, /no-such-agent/);
});

test('an agent that reaches its model by itself is started as it is', () => {
  const own = { id: 'own', command: 'own', args: ['{model}'], env: { A: '{model}' }, readable: [] };
  assert.deepEqual(reaching(own, 'm', undefined), {
    agent: { ...own, args: ['m'], env: { A: 'm' } },
  });
});
