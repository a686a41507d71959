import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { compose, mailOptions } from '../../platform/mail/compose.ts';
import { startPayers } from '../../testing/fixtures/billing/payer.ts';
import { pagesOf } from '../../testing/fixtures/billing/pdf.ts';
import { succeededTopUp } from '../../testing/fixtures/billing/top-ups.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { sandbox } from '../cards/sandbox.ts';
import { synchronize } from '../top-ups/movements.ts';
import { advanceRefund, startRefund } from '../top-ups/refund.ts';
import { storeIssuer } from './issuer.ts';
import { receiptMail } from './receipt-mail.ts';

const { db, fixtures, owner: asOwner, payer, request } = await startPayers();
const attempt = receiptMail(db, 'https://guildhall.example.com');

await storeIssuer(db, {
  name: 'Guildhall Ltd',
  address: [],
  country: 'IE',
  taxId: null,
  prefix: 'R-',
  taxName: 'VAT',
  taxRates: { DE: '19', CH: '8.1' },
  reverseChargeNote: 'Reverse charge: the recipient is liable for the tax.',
});
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

interface Queued {
  id: string;
  recipient: string;
  subjectId: string;
  issued_at: Date;
  charged_at: Date;
}

/** What a mail says that is not obsolete. */
async function render(
  mail: Queued,
): Promise<Exclude<Awaited<ReturnType<typeof attempt>>, 'obsolete'>> {
  const content = await attempt(mail);
  assert.ok(content !== 'obsolete');
  return content;
}

/** The mails about a top-up's documents, as they are sent, by number; their dates as `DAY`. */
async function sent(topUpId: string) {
  const mails = await db.many<Queued>(sql`
    select m.id, m.recipient, m.subject_id as "subjectId", i.issued_at, i.charged_at
      from mail m join invoice i on i.id = m.subject_id
     where m.kind = 'receipt' and i.top_up_id = ${topUpId} order by i.number`);
  const messages = [];
  for (const mail of mails) {
    const content = await render(mail);
    assert.deepEqual(await render(mail), content, 'another attempt sends the same');
    const message = compose(mail, content, { name: '', address: 'a@b.example' });
    const { subject, text, html } = message;
    const days = (said: string) =>
      said
        .replaceAll(day.format(mail.issued_at), 'DAY')
        .replaceAll(day.format(mail.charged_at), 'DAY')
        .replaceAll(/R-\d{4}-\d{6}/g, 'NUMBER')
        .replaceAll('\u200b', '');
    messages.push({
      subject: days(subject),
      paragraphs: days(text).trim().split('\n\n'),
      html,
      message,
    });
  }
  return messages;
}

const LAST =
  'You get this because receipts are turned on in the billing details of this balance. They can be ' +
  'turned off there.';
const TEST = 'This is a test: no money was moved.';
const OWN = 'See the invoices:\nhttps://guildhall.example.com/account/billing?view=invoices';

test('an invoice, its credit note, and the debit note of the refund that failed', async () => {
  const { user, add } = await payer();
  await asOwner(sql`update app_user set name = 'Ada Byron' where id = ${user.id}`);
  await request('PUT', '/api/billing/details', {
    key: user.key,
    body: { mail_receipts: true, name: 'Kunde GmbH', country: 'DE' },
  });
  const { top_up_id } = (await add(100)).body;
  const processor = sandbox(db);
  const { id } = await startRefund(db, processor, top_up_id, 33_330_000n, async () => {});
  await advanceRefund(db, processor, id);
  await asOwner(sql`delete from sandbox_refund where idempotency_key = ${`refund:${id}`}`);
  await synchronize(db, processor, top_up_id);
  const said = await sent(top_up_id);
  assert.deepEqual(
    said.map(({ subject, paragraphs }) => [subject, ...paragraphs]),
    [
      [
        'Invoice NUMBER from Guildhall Ltd',
        'Invoice NUMBER, issued by “Guildhall Ltd” on DAY to “Kunde GmbH”.',
        'Funds were added to the balance of “Ada Byron” on DAY, paid with the visa card ending in 4242.',
        'Total: 100.00 USD. Net: 84.03 USD. VAT (19%): 15.97 USD.',
        TEST,
        OWN,
        LAST,
      ],
      [
        'Credit note NUMBER from Guildhall Ltd',
        'Credit note NUMBER for invoice NUMBER, issued by “Guildhall Ltd” on DAY to “Kunde GmbH”.',
        'Funds were taken from the balance of “Ada Byron” on DAY and refunded to the visa card ending in 4242.',
        'Total: 33.33 USD. Net: 28.01 USD. VAT (19%): 5.32 USD.',
        TEST,
        OWN,
        LAST,
      ],
      [
        'Debit note NUMBER from Guildhall Ltd',
        'Debit note NUMBER for invoice NUMBER, issued by “Guildhall Ltd” on DAY to “Kunde GmbH”.',
        'A refund to the visa card ending in 4242 failed. Its funds were given back to the balance of “Ada Byron” on DAY.',
        'Total: 33.33 USD. Net: 28.01 USD. VAT (19%): 5.32 USD.',
        TEST,
        OWN,
        LAST,
      ],
    ],
  );
});

test('with the document as a PDF of its number', async () => {
  const { user, add } = await payer();
  await request('PUT', '/api/billing/details', {
    key: user.key,
    body: { mail_receipts: true, name: 'Kunde GmbH', country: 'DE' },
  });
  const { top_up_id } = (await add(100)).body;
  const [receipt] = await sent(top_up_id);
  const { number } = await db.one<{ number: string }>(sql`
    select number from invoice where top_up_id = ${top_up_id}`);
  const [attachment, ...others] = mailOptions(receipt?.message as never).attachments ?? [];
  assert.deepEqual(
    [attachment?.filename, attachment?.contentType, others],
    [`${number}.pdf`, 'application/pdf', []],
  );
  const [page] = await pagesOf(attachment?.content as Buffer);
  for (const said of [number, 'Kunde GmbH', '100.00 USD'])
    assert.ok(page?.text.includes(said), said);
});

test('of a workspace: its balance, its page, and the note on reverse charge', async () => {
  const user = await fixtures.user();
  const workspace = await fixtures.workspace(user, { name: 'Acme' });
  await request('PUT', `/api/organizations/${workspace}/billing/details`, {
    key: user.key,
    body: { mail_receipts: true, name: 'Acme AG', country: 'CH', tax_id: 'CHE-1' },
  });
  const { topUpId } = await succeededTopUp(db, {
    userId: user.id,
    card: await fixtures.card(user),
    organizationId: workspace,
    amount: 25_000_000n,
  });
  const [receipt] = await sent(topUpId);
  assert.deepEqual(receipt?.paragraphs, [
    'Invoice NUMBER, issued by “Guildhall Ltd” on DAY to “Acme AG”, tax id “CHE-1”.',
    'Funds were added to the balance of the workspace “Acme” on DAY, paid with the visa card ending in 4242.',
    'Total: 25.00 USD. No VAT is included.',
    'Reverse charge: the recipient is liable for the tax.',
    TEST,
    `See the invoices:\nhttps://guildhall.example.com/workspaces/${workspace}/billing?view=invoices`,
    LAST,
  ]);
});

test('names are text: no new line, direction mark, link or markup of theirs reaches the mail', async () => {
  const { user, add } = await payer();
  await request('PUT', '/api/billing/details', { key: user.key, body: { mail_receipts: true } });
  const evil = 'A\r\nBcc: x@evil.example\u202e<b>www.evil.example</b>';
  await asOwner(sql`update app_user set name = ${evil} where id = ${user.id}`);
  const [receipt] = await sent((await add(10)).body.top_up_id);
  assert.ok(receipt !== undefined);
  assert.doesNotMatch(receipt.subject, /[\r\n]|evil/);
  assert.equal(receipt.paragraphs.length, 6);
  assert.match(
    String(receipt.paragraphs[0]),
    /“A Bcc: x@evil\.example <b>www\.evil\.example<\/b>”/,
  );
  assert.doesNotMatch(receipt.html, /\u202e|<b>|evil\.example/);
});

test('obsolete once receipts are turned off', async () => {
  const { user, add } = await payer();
  const set = (mail_receipts: boolean) =>
    request('PUT', '/api/billing/details', { key: user.key, body: { mail_receipts } });
  await set(true);
  const { top_up_id } = (await add(10)).body;
  await set(false);
  const { id } = await db.one<{ id: string }>(sql`
    select id from invoice where top_up_id = ${top_up_id}`);
  assert.equal(await attempt({ subjectId: id }), 'obsolete');
});

const LOST: Record<string, (workspace: string, user: User) => Promise<unknown>> = {
  'is removed': (workspace, { id }) => fixtures.removeMember(workspace, id),
  'is no admin any more': (workspace, { id }) =>
    asOwner(sql`
      update membership set role_id = (
        select id from role where organization_id is null and scope = 'workspace' and slug = 'member')
       where organization_id = ${workspace} and user_id = ${id}`),
  'is deactivated': (_, { id }) =>
    asOwner(sql`update app_user set is_active = false where id = ${id}`),
};

for (const [how, lose] of Object.entries(LOST))
  test(`a receipt that waits goes to the owner when the admin who paid ${how}, and to no one without an owner`, async () => {
    const { owner, admin, workspace, mail } = await waiting();
    assert.deepEqual([mail.recipient, (await render(mail)).to], [admin.email, admin.email]);
    await lose(workspace, admin);
    const content = await render(mail);
    assert.equal(content.to, owner.email);
    assert.equal(compose(mail, content, { name: '', address: 'a@b.example' }).to, owner.email);
    await asOwner(sql`update app_user set is_active = false where id = ${owner.id}`);
    assert.equal(await attempt(mail), 'obsolete');
  });

test('a receipt that waits goes to the address that the billing details have when it is sent', async () => {
  const { owner, admin, workspace, mail } = await waiting('first@books.example');
  const set = (email: string | null) =>
    request('PUT', `/api/organizations/${workspace}/billing/details`, {
      key: owner.key,
      body: { email },
    });
  assert.equal(mail.recipient, 'first@books.example');
  await fixtures.removeMember(workspace, admin.id);
  assert.equal((await render(mail)).to, 'first@books.example');
  await set('second@books.example');
  assert.equal((await render(mail)).to, 'second@books.example');
});

/** The mail about an invoice of a workspace that an admin has paid. */
async function waiting(email?: string) {
  const [owner, admin] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, admin, 'admin');
  await request('PUT', `/api/organizations/${workspace}/billing/details`, {
    key: owner.key,
    body: { mail_receipts: true, ...(email !== undefined && { email }) },
  });
  const card = await fixtures.card(admin);
  const { invoiceId } = await succeededTopUp(db, {
    userId: admin.id,
    card,
    organizationId: workspace,
  });
  const mail = await db.one<Queued>(sql`
    select id, recipient, subject_id as "subjectId" from mail where subject_id = ${invoiceId}`);
  return { owner, admin, workspace, mail };
}
