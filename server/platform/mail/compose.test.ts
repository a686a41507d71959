import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTransport } from 'nodemailer';
import { anyText } from '../../testing/fixtures/any-text.ts';
import { compose, mailOptions } from './compose.ts';
import { type Content, DeliveryError, type Message } from './mail.ts';

/** What people may call themselves and their workspaces, in a message that is really encoded. */

const ID = '0198c0de-0000-7000-8000-000000000001';
const FROM = { name: 'Guildhall', address: 'no-reply@guild.example' };

const content = (name: string): Content => ({
  subject: [{ name }, ' invited you'],
  before: [['From ', { name }, '.']],
  link: { label: 'Open it', url: 'https://guild.example/invitations/1?token=a&b=c' },
  after: [['It ends soon.']],
});

const made = (name: string, recipient = 'eve@example.com'): Message =>
  compose({ id: ID, recipient }, content(name), FROM);

async function encoded(message: Message) {
  const mailer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  const raw = String((await mailer.sendMail(mailOptions(message))).message);
  const [head = ''] = raw.split('\n\n');
  const headers = head.replaceAll(/\n[ \t]+/g, ' ').split('\n');
  return { raw, headers, names: headers.map((line) => line.split(':')[0]) };
}

const HEADERS = [
  'From',
  'To',
  'Subject',
  'Message-ID',
  'Date',
  'Auto-Submitted',
  'MIME-Version',
  'Content-Type',
];

test('a message has these headers and no other, and its Message-ID is that of its row', async () => {
  const { raw, headers, names } = await encoded(made('Ada'));
  assert.deepEqual(names.toSorted(), HEADERS.toSorted());
  for (const line of [
    'From: Guildhall <no-reply@guild.example>',
    'To: eve@example.com',
    'Subject: Ada invited you',
    `Message-ID: <${ID}@guild.example>`,
    'Auto-Submitted: auto-generated',
  ])
    assert.ok(headers.includes(line), `${line}\n${raw}`);
  const date = headers.find((line) => line.startsWith('Date: ')) ?? '';
  assert.ok(Math.abs(Date.parse(date.slice(6)) - Date.now()) < 5_000);
});

test('no name adds a header, a recipient or a part, whatever it contains', async () => {
  for (const name of [
    'Eve\r\nBcc: all@example.com',
    'Eve\nBcc: all@example.com\n\n<b>body</b>',
    'Eve\rBcc: all@example.com',
    'Eve\u2028Bcc: all@example.com\u2029\u0085\u000b\u000cX: y',
    'Eve\0Bcc: all@example.com',
    '"Eve" <all@example.com>, other@example.com',
    '=?utf-8?Q?=0D=0ABcc:_all@example.com?=',
    '\u202eevE\u2066',
    'Ève 🦊 עברית',
  ]) {
    const { headers, names } = await encoded(made(name));
    assert.deepEqual(names.toSorted(), HEADERS.toSorted(), JSON.stringify(name));
    assert.ok(headers.includes('To: eve@example.com'));
    assert.doesNotMatch(made(name).subject, /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
  }
});

test('the same for any text at all', () =>
  fc.assert(
    fc.asyncProperty(anyText({ maxLength: 200 }), async (name) => {
      const { headers, names } = await encoded(made(name));
      assert.deepEqual(names.toSorted(), HEADERS.toSorted());
      assert.ok(headers.includes('To: eve@example.com'));
      assert.match(headers.find((line) => line.startsWith('Subject: ')) ?? '', /^[ -~]*$/);
    }),
    { numRuns: 100 },
  ));

test('the subject stays short, however long the names are', async () => {
  const { subject } = made('x'.repeat(5_000));
  assert.equal(subject, `${'x'.repeat(79)}… invited you`);
  const { subject: longest } = compose(
    { id: ID, recipient: 'eve@example.com' },
    { ...content(''), subject: [{ name: '🦊'.repeat(90) }, ' and ', { name: 'y'.repeat(90) }] },
    FROM,
  );
  assert.equal(Array.from(longest).length, 150);
  assert.ok(longest.isWellFormed());
});

test('in the HTML a name is text, and the link is the only element with an address', () => {
  const { html, text } = made(`<script>alert(1)</script><img src=x onerror='a("b")'> & co`);
  assert.ok(!html.includes('<script') && !html.includes('<img'));
  assert.match(
    html,
    /From &lt;script&gt;alert\(1\)&lt;\/script&gt;&lt;img src=x onerror=&#39;a\(&quot;b&quot;\)&#39;/,
  );
  assert.deepEqual(
    [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url]) => url),
    ['https://guild.example/invitations/1?token=a&amp;b=c'],
  );
  assert.ok(text.includes('From <script>alert(1)</script>'));
  assert.ok(text.includes('Open it:\nhttps://guild.example/invitations/1?token=a&b=c\n'));
});

test('a name that is an address is interrupted by invisible spaces, in the text and in the HTML', () => {
  const { text, html } = made('Win at https://prize.example now. Ok: yes.');
  for (const body of [text, html]) {
    assert.ok(body.includes('https:\u200b//prize.\u200bexample now. Ok: yes.'));
    assert.ok(!body.includes('https://prize') && !body.includes('prize.example'));
  }
});

test('a recipient that is not a valid address gets nothing, for good', () => {
  for (const recipient of [
    'eve@example.com\r\nBcc: all@example.com',
    'eve@example.com,all@example.com',
    'eve@example.com>\r\nRCPT TO:<all@example.com',
    '<eve@example.com>',
    'eve',
    'eve@localhost',
  ])
    assert.throws(
      () => made('Ada', recipient),
      (error) => error instanceof DeliveryError && error.permanent && error.concerns === 'message',
      recipient,
    );
  assert.equal(made('Ada', 'ève@exämple.com').to, 'ève@exämple.com');
  assert.equal(made('Ada', 'Eve@Example.COM').to, 'Eve@example.com');
});
