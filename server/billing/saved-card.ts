import Type from 'typebox';
import { type Sql, sql } from '../db/sql.ts';
import { apiError } from '../http/errors.ts';
import { uuid } from '../http/input/fields.ts';
import { timestamp, timestampSql } from '../http/timestamps.ts';

/** The path parameter of a saved card. */
export const cardId = Type.String({
  description: 'The saved card.',
  maxLength: 63,
  pattern: '^pm_[0-9A-Za-z]{10,60}$',
});

const details = {
  id: Type.String(),
  brand: Type.String(),
  last4: Type.String(),
  exp_month: Type.Optional(Type.Integer()),
  exp_year: Type.Optional(
    Type.Integer({ description: 'Both are left out of cards saved before they were recorded.' }),
  ),
  expired: Type.Boolean({ description: 'The month of its expiry is over (UTC).' }),
};

/** A card as its person sees it. */
export const savedCard = Type.Object(
  {
    ...details,
    is_default: Type.Boolean({
      description: 'The card that was last made the default; until then the one saved first.',
    }),
    shared_with: Type.Array(uuid(), {
      description: 'The workspaces whose owner and admins see it.',
    }),
    created_at: timestamp(),
  },
  { $id: 'SavedCard' },
);

/** A card as the owner and admins of a workspace see it. */
export const sharedCard = Type.Object(
  {
    ...details,
    user_id: uuid(),
    name: Type.Optional(Type.String({ description: 'The person whose card it is.' })),
    shared_at: timestamp(),
  },
  { $id: 'SharedCard' },
);

const EXAMPLE = {
  id: 'pm_6xY1mQ0wVtB2nK8sLr4dPzaF',
  brand: 'visa',
  last4: '4242',
  exp_month: 8,
  exp_year: 2031,
  expired: false,
};
export const savedExample = {
  ...EXAMPLE,
  is_default: true,
  shared_with: ['3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  created_at: '2026-11-21T08:15:30.123Z',
};
export const sharedExample = {
  ...EXAMPLE,
  user_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  name: 'Ada Lovelace',
  shared_at: '2026-11-21T08:15:30.123Z',
};

/** Whether the month of expiry of `p` is over. */
const isExpired = sql`
  coalesce(make_date(p.exp_year, p.exp_month, 1) + interval '1 month'
           <= now() at time zone 'UTC', false)`;

const shown = sql`
  'id', p.id, 'brand', p.brand, 'last4', p.last4, 'exp_month', p.exp_month,
  'exp_year', p.exp_year, 'expired', ${isExpired}`;

/** The JSON of a card `p` for its person. `isDefault`: where that is known. */
export const savedCardJson = (isDefault: Sql = isDefaultCard): Sql => sql`
  json_strip_nulls(json_build_object(
    ${shown}, 'is_default', ${isDefault},
    'shared_with', (select coalesce(json_agg(s.organization_id order by s.created_at), '[]')
                      from card_share s where s.payment_method_id = p.id),
    'created_at', ${timestampSql(sql`p.created_at`)}))`;

/** The JSON of a card `p` of a person `u`, shared by `s`, for the others of the workspace. */
export const sharedCardJson = sql`
  json_strip_nulls(json_build_object(
    ${shown}, 'user_id', u.id, 'name', u.name, 'shared_at', ${timestampSql(sql`s.created_at`)}))`;

/** Whether `p` is the card that its person pays with by default. */
export const isDefaultCard = sql`
  p.id = (select d.id from payment_method d
           where d.user_id = p.user_id and d.detached_at is null
           order by d.default_at desc nulls last, d.created_at, d.id limit 1)`;

export const cardInUse = apiError(
  409,
  'payment_method_in_use',
  'The card is in use: see "blockers" for what to change first',
);
