import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';
import { defaultSender, mailbox, smtpServer } from './mail.ts';

test('SMTP_URL: host, port, login and encryption; STARTTLS is required unless the server is this machine', () => {
  const plain = { login: undefined };
  for (const [text, expected] of [
    [
      'smtp://mail.example.com',
      { ...plain, host: 'mail.example.com', port: 587, encryption: 'starttls' },
    ],
    [
      'smtp://Mail.Example.com:25/',
      { ...plain, host: 'mail.example.com', port: 25, encryption: 'starttls' },
    ],
    [
      'smtps://mail.example.com',
      { ...plain, host: 'mail.example.com', port: 465, encryption: 'tls' },
    ],
    [
      'smtps://localhost:1465?tls=required',
      { ...plain, host: 'localhost', port: 1465, encryption: 'tls' },
    ],
    [
      'smtp://mail.example.com?tls=off',
      { ...plain, host: 'mail.example.com', port: 587, encryption: 'none' },
    ],
    ['smtp://localhost:1025', { ...plain, host: 'localhost', port: 1025, encryption: 'none' }],
    ['smtp://127.0.0.1:1025', { ...plain, host: '127.0.0.1', port: 1025, encryption: 'none' }],
    ['smtp://[::1]:1025', { ...plain, host: '::1', port: 1025, encryption: 'none' }],
    [
      'smtp://127.0.0.1?tls=required',
      { ...plain, host: '127.0.0.1', port: 587, encryption: 'starttls' },
    ],
    [
      'smtp://127.evil.example',
      { ...plain, host: '127.evil.example', port: 587, encryption: 'starttls' },
    ],
    [
      'smtp://me%40example.com:p%40ss%3A%2F%25w%C3%B6rd@mail.example.com',
      {
        host: 'mail.example.com',
        port: 587,
        encryption: 'starttls',
        login: { user: 'me@example.com', password: 'p@ss:/%wörd' },
      },
    ],
  ] as const)
    assert.deepEqual(smtpServer.parse(text), expected, text);
});

test('SMTP_URL: whatever else is in it is a fault that repeats no password', () => {
  for (const text of [
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://:587',
    'smtp://user@mail.example.com',
    'smtp://:hunter2@mail.example.com',
    'smtp://user:hunter2%zz@mail.example.com',
    'smtp://user:hunter2%0d%0aQUIT@mail.example.com',
    'smtp://user:hunter2@mail.example.com/queue',
    'smtp://user:hunter2@mail.example.com?tls=maybe',
    'smtp://user:hunter2@mail.example.com?starttls=off',
    'smtp://user:hunter2@mail.example.com?tls=off&tls=off',
    'smtps://user:hunter2@mail.example.com?tls=off',
    'smtp://user:hunter2@mail.example.com:99999',
    'smtp://user:hunter2@mail.example.com:0',
    'smtp://user:hunter2@mail_example.com',
    'smtp://user:hunter2@mail.example.com#x',
  ])
    assert.throws(
      () => readConfig({ SMTP_URL: text }),
      ({ message }: Error) =>
        /SMTP_URL must be an address such as/.test(message) && !message.includes('hunter2'),
      text,
    );
});

test('MAIL_FROM: an address, or a name and an address', () => {
  const address = 'no-reply@guild.example';
  assert.deepEqual(mailbox.parse(address), { name: '', address });
  assert.deepEqual(mailbox.parse(`Acme, Inc. <${address}>`), { name: 'Acme, Inc.', address });
  assert.deepEqual(mailbox.parse(`"Acme" <${address}>`), { name: 'Acme', address });
  for (const text of [
    'nobody',
    `<${address}> x`,
    `A\r\nBcc: x@example.com <${address}>`,
    `a@example.com, ${address}`,
    'Acme <>',
    `${'x'.repeat(101)} <${address}>`,
  ])
    assert.equal(mailbox.parse(text), undefined, text);
});

test('without MAIL_FROM the sender is in the domain of PUBLIC_URL', () => {
  const sender = (url: string) => defaultSender(url).address;
  assert.equal(sender('https://guild.example:8443'), 'no-reply@guild.example');
  assert.equal(sender('http://127.0.0.1:8080'), 'no-reply@localhost');
  assert.equal(sender('http://[::1]:1'), 'no-reply@localhost');
  const { mail } = readConfig({ PUBLIC_URL: 'https://guild.example', MAIL_FROM: '' });
  assert.deepEqual(mail.from, { name: 'Guildhall', address: 'no-reply@guild.example' });
});
