import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { outboxOn, smtpTo, workerOn } from '../../testing/fixtures/identity/mail.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { LOGIN, SLOW, startExim, withoutExim } from '../../testing/processes/exim.ts';
import type { SmtpOptions } from './smtp-transport.ts';

/** Mail to a server that others have written: TLS, a login, refusals, greylisting, a slow answer. */

const skip = withoutExim();
if (skip === false) {
  const { db, fixtures } = await startHarness({ own: true });
  const { queue, row, comeDue } = outboxOn(db, fixtures);
  const exim = await startExim();
  after(() => exim.close());

  async function worker(options: Partial<SmtpOptions> = {}) {
    const work = workerOn(db, await smtpTo(exim.port, { login: LOGIN, ...options }));
    after(() => work.close());
    return work;
  }
  const acceptedFor = async (address: string) =>
    (await exim.accepted()).filter((kept) => kept.includes(`\n${address}\n`));

  test('Exim: a mail leaves with TLS and the login; without the login, or with a wrong one, it waits', async () => {
    const wrong = { ...LOGIN, password: 'wrong' };
    const { id } = await queue({ email: 'eve@example.com' });
    for (const [login, said] of [
      [undefined, /^RCPT TO: 550 5\.7\.1 Log in first/],
      [wrong, /^AUTH PLAIN: 535 /],
    ] as const) {
      await comeDue(id);
      await (await worker({ login })).round();
      const { status, last_error } = await row(id);
      assert.match(last_error ?? '', said);
      // An operator corrects that; then the same mail is accepted.
      assert.equal(status, 'queued');
    }
    assert.deepEqual(await exim.accepted(), []);
    await comeDue(id);
    await (await worker()).round();
    const [kept, ...others] = await acceptedFor('eve@example.com');
    assert.equal(others.length, 0);
    assert.match(kept ?? '', /-received_protocol esmtpsa\n/);
    assert.match(kept ?? '', /-auth_id guildhall\n/);
    assert.match(kept ?? '', new RegExp(`Message-ID: <${id}@guild\\.example>`, 'i'));
  });

  test('Exim: whom it does not know gets no second attempt; who is greylisted gets the mail later, once', async () => {
    const work = await worker();
    const nobody = await queue({ email: 'nobody@example.com' });
    const grey = await queue({ email: 'grey@example.com' });
    await work.round();
    const dead = await row(nobody.id);
    assert.deepEqual([dead.status, dead.attempts], ['dead', 1]);
    assert.match(dead.last_error ?? '', /^RCPT TO: 550 5\.1\.1 No such user/);
    const waiting = await row(grey.id);
    assert.deepEqual([waiting.status, waiting.attempts], ['queued', 1]);
    assert.match(waiting.last_error ?? '', /^RCPT TO: 451 4\.7\.1 Greylisted/);
    await exim.letThrough();
    await work.round();
    assert.equal((await row(grey.id)).attempts, 1, 'not before its time');
    await comeDue(grey.id);
    await work.round();
    assert.equal((await row(grey.id)).status, 'sent');
    assert.equal((await acceptedFor('grey@example.com')).length, 1);
    assert.equal((await acceptedFor('nobody@example.com')).length, 0);
  });

  test('Exim: a mail that it thinks about for longer than it took to hand over is sent once', async () => {
    const timeouts = { connection: 5_000, greeting: 5_000, silence: 60_000, handing: 1_000 };
    const work = await worker({ timeouts });
    const { id } = await queue({ email: 'slow@example.com' });
    const started = performance.now();
    await work.round();
    assert.ok(performance.now() - started >= SLOW * 1_000);
    const { status, attempts } = await row(id);
    assert.deepEqual([status, attempts], ['sent', 1]);
    assert.equal((await acceptedFor('slow@example.com')).length, 1);
  });
} else test('mail to a server that others have written', { skip }, () => {});
