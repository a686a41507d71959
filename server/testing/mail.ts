import { Writable } from 'node:stream';
import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { invitationMail } from '../organizations/invitations/invitation-mail.ts';
import { inviteLinks } from '../organizations/invitations/invite-link.ts';
import { type MailOptions, type MailWork, mailWork } from '../platform/mail/background.ts';
import type { Renderers, Transport } from '../platform/mail/mail.ts';
import { type SmtpOptions, smtpTransport } from '../platform/mail/smtp-transport.ts';
import { openLog } from '../telemetry/log.ts';
import { LOCALHOST } from './fakes/mail-server/certificates.ts';
import { type Fixtures, fixturesOn } from './fixtures.ts';

/** A row of the table `mail`; `due_in` in seconds. */
interface MailRow {
  id: string;
  kind: string;
  recipient: string;
  status: string;
  attempts: number;
  due_in: number | null;
  last_error: string | null;
  ended: boolean;
}

interface QueueOptions {
  email?: string;
  workspace?: string;
  generation?: number;
}

const PUBLIC_URL = 'https://guild.example';
const SECRET = 'a secret for tests that is long enough';
export const inviteLink = inviteLinks(PUBLIC_URL, SECRET);

export const renderersOn = (db: Database): Renderers => ({
  workspace_invitation: invitationMail(db, inviteLink),
  project_invitation: invitationMail(db, inviteLink),
});

/** A log whose lines a test can read. */
export function readableLog() {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: openLog('debug', stream), lines };
}

/** Invitations whose mail waits in the outbox, and what became of it. */
export function outboxOn(db: Database, fixtures: Fixtures = fixturesOn(db)) {
  let home: Promise<string> | undefined;

  async function queue(options: QueueOptions = {}) {
    home ??= fixtures.user().then((owner) => fixtures.workspace(owner, { name: 'Acme' }));
    const workspace = options.workspace ?? (await home);
    const { email } = options;
    const invitation = await fixtures.invitation(workspace, email === undefined ? {} : { email });
    const mail = await db.one<{ id: string; recipient: string }>(sql`
      insert into mail (kind, recipient, subject_id, generation)
      select 'workspace_invitation', email, id, ${options.generation ?? 1} from invitation
        where id = ${invitation}
      returning id, recipient`);
    return { ...mail, invitation };
  }

  const row = (id: string): Promise<MailRow> =>
    db.one<MailRow>(sql`
      select id, kind, recipient, status, attempts, last_error, ended_at is not null as ended,
             extract(epoch from next_attempt_at - now())::float8 as due_in
        from mail where id = ${id}`);

  /** As if the time of the next attempt had come. */
  const comeDue = (id: string) =>
    db.many(sql`update mail set next_attempt_at = now() where id = ${id} and status = 'queued'`);

  return { queue, row, comeDue };
}

/** A worker on `transport`, which a test has to close. */
export const workerOn = (
  db: Database,
  transport: Transport,
  options: Partial<MailOptions> = {},
): MailWork =>
  mailWork(db, {
    transport,
    renderers: renderersOn(db),
    from: { name: 'Guildhall', address: 'no-reply@guild.example' },
    log: readableLog().log,
    ...options,
  });

/** A way to a server of the test that gives up soon. */
export const smtpTo = (port: number, options: Partial<SmtpOptions> = {}): Promise<Transport> =>
  smtpTransport({
    host: 'localhost',
    port,
    encryption: 'starttls',
    login: undefined,
    connections: 2,
    ca: LOCALHOST.cert,
    timeouts: { connection: 2_000, greeting: 500, silence: 800 },
    ...options,
  });
