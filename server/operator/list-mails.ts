import Type from 'typebox';
import { asOperator } from '../access/operator.ts';
import { sql } from '../db/sql.ts';
import { operatorRequired } from '../http/errors.ts';
import { oneOf, uuid } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { resource } from '../http/resource.ts';
import { route } from '../http/route.ts';
import { timestamp } from '../http/timestamps.ts';
import { MAIL_STATUSES, type MailStatus, OF_STATUS } from '../platform/mail/operate.ts';

/** A row `m` of `mail`: to whom and how it went, not what it says. */
const operatedMail = resource('OperatedMail', {
  id: [uuid(), sql`m.id`, '019aa2b8-2e2f-7a3b-8c4d-5e6f70819203'],
  kind: [Type.String(), sql`m.kind`, 'workspace_invitation'],
  recipient: [Type.String(), sql`m.recipient`, 'grace@example.com'],
  status: [Type.Enum([...MAIL_STATUSES]), sql`m.status`, 'dead'],
  attempts: [Type.Integer(), sql`m.attempts`, 12],
  last_error: [Type.Optional(Type.String()), sql`m.last_error`, '550 5.1.1 no such user'],
  created_at: [timestamp(), sql`m.created_at`, '2026-11-21T08:15:30.123Z'],
  next_attempt_at: [Type.Optional(timestamp()), sql`m.next_attempt_at`, undefined],
  ended_at: [Type.Optional(timestamp()), sql`m.ended_at`, '2026-11-22T08:15:30.123Z'],
});

/** Outgoing mail, such as what was given up. */
export const listMails = route({
  method: 'GET',
  path: '/api/operator/mails',
  area: 'Operation',
  operationId: 'list_mails',
  summary: 'List outgoing mail',
  description:
    'Mail that was given up, or of another `status`, newest first: to whom and how it went, not what ' +
    'it says. Always in pages: 50 entries, unless `limit` says otherwise. Operators only.',
  access: asOperator,
  query: Type.Object({
    ...pages,
    status: Type.Optional(
      oneOf([...MAIL_STATUSES], { description: 'Without it, those that are `dead`.' }),
    ),
  }),
  responses: { 200: operatedMail.listed('Newest first.') },
  errors: [operatorRequired, cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(mails(query), query) }, page(url, query.limit)),
});

const mails = ({ status = 'dead' }: { status?: MailStatus }): ListParts => ({
  json: operatedMail.json,
  rows: sql`
    from authorized cross join (select * from mail where ${OF_STATUS[status]}) m where true`,
  order: [
    { by: sql`m.created_at`, type: 'timestamptz' },
    { by: sql`m.id`, type: 'uuid' },
  ],
  descending: true,
});
