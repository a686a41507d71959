import { type Command, InvalidArgumentError } from 'commander';
import type { Database } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { parseUuid } from '../server/http/input/uuid.ts';
import {
  type ListedMail,
  listMail,
  MAIL_STATUSES,
  type MailStatus,
  resendDead,
  resendMail,
} from '../server/platform/mail/operate.ts';
import { type Cli, table, withDatabase, withJson } from './command.ts';
import { Failure } from './failure.ts';
import { age, printable } from './printable.ts';
import { recordFromCli } from './record.ts';

type Json = { json?: boolean };

/** `guildhall mail list | resend`: what waits to be sent, and what was given up. */
export function addMail(program: Command, cli: Cli): void {
  const mail = program
    .command('mail')
    .usage('<command> [options]')
    .helpCommand(false)
    .description('list outgoing mail, and send again what was given up');
  withJson(mail.command('list'))
    .description('list outgoing mail, newest first, with the last error of each')
    .option('--status <status>', `only mail that is ${MAIL_STATUSES.join(', ')}`, readStatus)
    .option('--limit <count>', 'how many at most, up to 1000', readLimit, 50)
    .action(async ({ json, status, limit }: Json & { status?: MailStatus; limit: number }) => {
      const mails = await withDatabase(cli.readConfig(), (db) => listMail(db, { status, limit }));
      const none = status === undefined ? 'There is no mail.' : `There is no ${status} mail.`;
      cli.print(json, mails.map(shown), mails.length === 0 ? none : asTable(mails));
    });
  const resend = withJson(mail.command('resend'))
    .description('send mail again that is dead or waits for a later attempt, starting now')
    .argument('[id]', 'the id that `mail list` shows', readId)
    .option('--all-dead', 'all mail that is dead')
    .action(async (id: string | undefined, { json, allDead }: Json & { allDead?: boolean }) => {
      if ((id === undefined) === (allDead === undefined))
        resend.error('error: give either the id of a mail or --all-dead');
      const ids = await withDatabase(cli.readConfig(), (db) =>
        id === undefined ? resendAll(db) : resendOne(db, id),
      );
      cli.print(json, { resent: ids.length }, sentence(ids.length));
    });
}

function sentence(resent: number): string {
  if (resent === 0) return 'There is no dead mail.';
  if (resent === 1) return '1 mail is due again. A running server sends it.';
  return `${resent} mails are due again. A running server sends them.`;
}

function resendOne(db: Database, id: string): Promise<string[]> {
  return db.transaction(async (tx) => {
    const outcome = await resendMail(tx, id);
    if (outcome !== 'queued') throw new Failure(REFUSALS[outcome]);
    await recordFromCli(tx, { action: 'mail.resend', target: id });
    return [id];
  });
}

const REFUSALS = {
  unknown: 'No mail has this id. Mail that was sent is deleted after 30 days.',
  due: 'This mail is being sent, or is tried again within two minutes: there is nothing to do.',
  sent: 'This mail was sent. To send a new link, resend the invitation.',
  obsolete:
    'The invitation of this mail was accepted, revoked, renewed or has expired: invite again.',
};

async function resendAll(db: Database): Promise<string[]> {
  // What dies while this runs has just failed again.
  const { now } = await db.one<{ now: Date }>(sql`select now() as now`);
  const all: string[] = [];
  for (;;) {
    const some = await db.transaction(async (tx) => {
      const ids = await resendDead(tx, now);
      for (const id of ids) await recordFromCli(tx, { action: 'mail.resend', target: id });
      return ids;
    });
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function readStatus(text: string): MailStatus {
  const status = MAIL_STATUSES.find((one) => one === text);
  if (status === undefined)
    throw new InvalidArgumentError(`It must be one of ${MAIL_STATUSES.join(', ')}.`);
  return status;
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 1_000)
    throw new InvalidArgumentError('It must be a number from 1 to 1000.');
  return limit;
}

function readId(text: string): string {
  const id = parseUuid(text);
  if (!id.ok)
    throw new InvalidArgumentError('It is not the id of a mail: `mail list` shows the ids.');
  return id.uuid;
}

function shown(mail: ListedMail): object {
  return Object.fromEntries(Object.entries(mail).filter(([, value]) => value !== null));
}

const asTable = (mails: ListedMail[]): string =>
  table(
    ['ID', 'KIND', 'RECIPIENT', 'STATUS', 'ATTEMPTS', 'AGE', 'LAST ERROR'],
    mails.map((mail) => [
      mail.id,
      mail.kind,
      printable(mail.recipient),
      mail.status,
      String(mail.attempts),
      age(Date.now() - mail.created_at.getTime()),
      printable(mail.last_error ?? '-'),
    ]),
  );
