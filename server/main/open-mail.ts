import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { receiptMail } from '../billing/invoices/receipt-mail.ts';
import { noticeMail } from '../billing/notices/notice-mail.ts';
import { limitMail } from '../billing/spend-limits/limit-mail.ts';
import type { Database } from '../db/database/database.ts';
import { expiryMail } from '../erp/connections/expiry-mail.ts';
import { notificationMail } from '../identity/notifications/notification-mail.ts';
import { unsubscribeLinks } from '../identity/notifications/unsubscribe-link.ts';
import { linkMail } from '../identity/sign-in/link-mail.ts';
import { securityMail } from '../identity/sign-in/security-mail.ts';
import { linkTokens } from '../identity/sign-in/sign-in-link.ts';
import { invitationMail } from '../organizations/invitations/invitation-mail.ts';
import { mailedInviteLinks } from '../organizations/invitations/invite-link.ts';
import { webhookOffMail } from '../organizations/webhooks/off-mail.ts';
import type { Config } from '../platform/config/config.ts';
import { CONCURRENCY, type MailWork, mailWork } from '../platform/mail/background.ts';
import { fileTransport } from '../platform/mail/file-transport.ts';
import type { Renderers, Transport } from '../platform/mail/mail.ts';
import { measureMail } from '../platform/mail/metrics.ts';
import { smtpTransport } from '../platform/mail/smtp-transport.ts';
import { routinePausedMail } from '../tasks/routines/paused-mail.ts';

/** The worker that sends mail: what each kind says, and the way it leaves. */
export async function openMail(
  db: Database,
  config: Config,
  {
    serverSecret,
    log,
    registry,
  }: { serverSecret: string; log: Logger; registry: Registry | undefined },
): Promise<MailWork> {
  const invitation = invitationMail(db, mailedInviteLinks(config.publicUrl, serverSecret));
  const renderers: Renderers = {
    workspace_invitation: invitation,
    project_invitation: invitation,
    sign_in_link: linkMail(db, linkTokens(serverSecret), config),
    security_notice: securityMail(db, config),
    spend_limit: limitMail(db, config.publicUrl),
    odoo_expiry: expiryMail(db, config.publicUrl),
    receipt: receiptMail(db, config.publicUrl),
    billing_notice: noticeMail(db, config.publicUrl),
    webhook_off: webhookOffMail(db, config.publicUrl),
    task_notification: notificationMail(
      db,
      config.publicUrl,
      unsubscribeLinks(config.publicUrl, serverSecret),
    ),
    routine_paused: routinePausedMail(db, config.publicUrl),
  };
  return mailWork(db, {
    transport: await openTransport(config, log),
    renderers,
    from: config.mail.from,
    log,
    observer: registry && measureMail(registry, db),
  });
}

function openTransport({ mail, dataDir }: Config, log: Logger): Transport | Promise<Transport> {
  if (mail.server === undefined) return fileTransport(join(dataDir, 'mail'), log);
  return smtpTransport({ ...mail.server, connections: CONCURRENCY });
}
