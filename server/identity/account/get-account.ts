import { oneself } from '../../access/account.ts';
import { sql } from '../../db/sql.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { route } from '../../http/route.ts';
import { account } from './account.ts';

/** The person behind the key. */
export const getAccount = route({
  method: 'GET',
  path: '/api/account',
  area: 'Account',
  operationId: 'get_account',
  summary: 'Get your account',
  description:
    'The person behind the API key. A key that is limited to one workspace does not show it.',
  access: oneself,
  responses: { 200: account.shown('Your account.') },
  errors: [],
  handle: ({ statement }) =>
    statement<Shown>(
      {
        select: sql`
          select ${account.columns}
            from authorized join app_user t on t.id = authorized.user_id`,
      },
      (row) => shownAs(200, row),
    ),
});
