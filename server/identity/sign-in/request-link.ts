import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { email, object } from '../../http/input/fields.ts';
import { publicRoute } from '../../http/public-route.ts';
import { accountKey } from './account-key.ts';

/**
 * Asks for a mail with a link. What the mail says, and whether there is one, is decided when it is
 * sent, so that the answer and its time are the same for every address.
 */
export const requestLink = ({ db }: { db: Pick<Database, 'write'> }) =>
  publicRoute({
    method: 'POST',
    path: '/auth/links',
    area: 'Sign-in',
    operationId: 'request_link',
    summary: 'Ask for a link by mail',
    description:
      'Mails a link that sets a new password, or one to sign up if the address is new and may. ' +
      'The answer is the same for every address.',
    limit: 'signIn',
    body: object({ email: email() }),
    sample: () => ({ body: { email: 'ada@example.com' } }),
    responses: { 202: { description: 'If the address may have a link, it is on its way.' } },
    errors: [],
    handle: async ({ body, network, take }) => {
      const account = accountKey(body.email);
      await take('links', `${account}:${network}`);
      await take('linksAnywhere', account);
      await db.write(sql`
        insert into mail (kind, recipient, subject_id)
        values ('sign_in_link', ${body.email}, ${randomUUID()})`);
      return { status: 202 };
    },
  });
