import { onMail } from '../access/operator.ts';
import { apiError, notFound, operatorRequired } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { recordChange } from '../platform/audit/audit.ts';
import { resendMail as resend } from '../platform/mail/operate.ts';

const due = apiError(
  409,
  'mail_is_due',
  'The mail is being sent, or is tried again within two minutes: there is nothing to do',
);
const sent = apiError(
  409,
  'mail_was_sent',
  'The mail was sent: to send a new link of an invitation, resend the invitation',
);
const obsolete = apiError(
  409,
  'mail_is_obsolete',
  'What the mail is about has changed or ended since: it is not sent any more',
);
const REFUSALS = { due, sent, obsolete, unknown: notFound };

/** Sends mail again that was given up. */
export const resendMail = route({
  method: 'POST',
  path: '/api/operator/mails/{mail_id}/resend',
  area: 'Operation',
  operationId: 'resend_mail',
  summary: 'Send mail again',
  description:
    'Makes mail due now that is dead or waits for a later attempt, with all attempts before it. ' +
    'Operators only.',
  access: onMail,
  params: ids('mail_id'),
  sample: () => ({}),
  responses: { 204: { description: 'The mail is due.' } },
  errors: [operatorRequired, notFound, due, sent, obsolete],
  handle: ({ requestId, transaction }) =>
    transaction(async (tx, { target_id: target, ...caller }) => {
      const outcome = await resend(tx, target);
      if (outcome !== 'queued') throw REFUSALS[outcome]();
      await recordChange(tx, {
        caller,
        action: 'mail.resend',
        target,
        requestId,
        forOperators: true,
      });
      return { status: 204 };
    }),
});
