import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';

/** The catcher of mails, at a port of its own. */

const PROGRAM = `
import runpy, sys
made = runpy.run_path(sys.argv[1])
server = made["Server"](("127.0.0.1", 0), made["Session"])
print(server.server_address[1], flush=True)
server.serve_forever()`;

async function startCatcher(t: TestContext) {
  const path = join(import.meta.dirname, 'catch-mails.py');
  const child = spawn('python3', ['-c', PROGRAM, path], {
    stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [said] = await once(child.stdout as Readable, 'data');
  const open = async () => {
    const socket = connect(Number(said), '127.0.0.1');
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return {
    open,
    /** What is caught of a mail with these headers and this body. */
    async send(mail: string) {
      const sender = await open();
      sender.write(`MAIL FROM:<a@x>\r\nRCPT TO:<b@x>\r\nDATA\r\n${mail}\r\n.\r\n`);
      const [line] = await once(child.stdio[4] as Readable, 'data');
      return JSON.parse(String(line));
    },
  };
}

test('a sender that is silent keeps no mail waiting', async (t) => {
  const catcher = await startCatcher(t);
  await catcher.open();
  assert.deepEqual(await catcher.send('Subject: Hello\r\n\r\nHow are you?'), {
    sender: 'a@x',
    recipients: ['b@x'],
    subject: 'Hello',
    text: 'How are you?\r\n',
  });
});

test('the text of HTML is shown whichever tags are left out, and nothing of its head', async (t) => {
  const { send } = await startCatcher(t);
  const style = '<title>Offer</title><style>p { color: red }</style>';
  for (const html of [
    `<html><head>${style}</head><body><p>How</p><p>are you?</p></body></html>`,
    `<html><head>${style}<body><p>How<p>are you?`,
    `<head><meta charset="utf-8">${style}<p>How</p><p>are you?</p>`,
    `<head>${style}How<br>are you?`,
    `<!doctype html>${style}<div>How<div>are you?`,
    'How<br>are you?',
    'How<script>if (1 < 2) alert("<p>no</p>")</script><br>are you?',
  ]) {
    const { text } = await send(`Content-Type: text/html; charset=utf-8\r\n\r\n${html}`);
    assert.equal(text.replace(/\s+/g, ' ').trim(), 'How are you?', html);
  }
});
