import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { test } from 'node:test';

/** The catcher of mails, at a port of its own. */

const PROGRAM = `
import runpy, sys
made = runpy.run_path(sys.argv[1])
server = made["Server"](("127.0.0.1", 0), made["Session"])
print(server.server_address[1], flush=True)
server.serve_forever()`;

test('a sender that is silent keeps no mail waiting', async (t) => {
  const path = join(import.meta.dirname, 'catch-mails.py');
  const child = spawn('python3', ['-c', PROGRAM, path], {
    stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [said] = await once(child.stdout as Readable, 'data');
  const silent = connect(Number(said), '127.0.0.1');
  t.after(() => silent.destroy());
  await once(silent, 'connect');
  const sender = connect(Number(said), '127.0.0.1');
  t.after(() => sender.destroy());
  sender.write(
    'MAIL FROM:<a@x>\r\nRCPT TO:<b@x>\r\nDATA\r\nSubject: Hello\r\n\r\nHow are you?\r\n.\r\n',
  );
  const [line] = await once(child.stdio[4] as Readable, 'data');
  assert.deepEqual(JSON.parse(String(line)), {
    sender: 'a@x',
    recipients: ['b@x'],
    subject: 'Hello',
    text: 'How are you?\r\n',
  });
});
