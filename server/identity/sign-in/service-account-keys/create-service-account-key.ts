import Type from 'typebox';
import { type OneServiceAccount, onServiceAccount } from '../../../access/service-account.ts';
import type { Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import type { Caller } from '../../../http/caller.ts';
import { apiError } from '../../../http/errors.ts';
import { boolean, dateTime } from '../../../http/input/fields.ts';
import { ids, route } from '../../../http/route.ts';
import { actor, auditRow } from '../../../platform/audit/audit.ts';
import { hashKey, mintKey } from '../../keys/key.ts';
import { expiresInThePast, newApiKey } from '../keys/create-key.ts';
import { ownKey } from '../keys/own-key.ts';

/** How many keys one service account may have that are neither revoked nor expired. */
const MOST_KEYS = 20;

const tooManyKeys = apiError(
  409,
  'too_many_keys',
  `The service account has ${MOST_KEYS} API keys, which is the most: revoke those that are no longer used`,
);

/** Makes an API key of a service account. Only a person does, who has just proven who they are. */
export const createServiceAccountKey = route({
  method: 'POST',
  path: '/auth/service-accounts/{service_account_id}/keys',
  area: 'Sign-in',
  operationId: 'create_service_account_key',
  summary: 'Create an API key of a service account',
  description:
    'Makes an API key that acts as the service account, in its workspace alone. The answer shows ' +
    `it, and nothing else ever does. At most ${MOST_KEYS} at a time. Its owner and admins only.`,
  credential: 'proven-session',
  access: onServiceAccount('manage_service_accounts'),
  params: ids('service_account_id'),
  body: Type.Object(
    {
      name: ownKey.writable.name,
      expires_at: Type.Optional(dateTime({ description: 'Without it, the key does not expire.' })),
      read_only: boolean({ default: false, description: 'Whether it can only read.' }),
    },
    { additionalProperties: false },
  ),
  sample: () => ({ body: { name: 'CI of the shop', read_only: true } }),
  responses: { 201: newApiKey },
  errors: [tooManyKeys, expiresInThePast],
  handle: ({ body: wanted, requestId, transaction }) =>
    transaction(async (tx, place) => {
      const { expires_at: expiresAt } = wanted;
      if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now())
        throw expiresInThePast(expiresAt);
      const key = mintKey();
      const made = await insert(tx, place, { ...wanted, key, requestId });
      if (made === undefined) throw tooManyKeys();
      return { status: 201, body: { ...JSON.parse(made.item), key } };
    }),
});

interface Wanted {
  name: string;
  expires_at?: string;
  read_only: boolean;
  key: string;
  requestId: string;
}

// Its workspace is locked, so what is counted stays, and a deletion waits or has been seen.
const insert = (
  tx: Tx,
  { organization_id, service_account_id, ...caller }: OneServiceAccount & Caller,
  wanted: Wanted,
) =>
  tx.maybeOne<{ item: string }>(sql`
    with ${actor(caller)},
    made as (
      insert into api_key (user_id, user_kind, service_of, organization_id, name, secret_hash,
                           expires_at, read_only)
      select ${service_account_id}::uuid, 'service', ${organization_id}::uuid,
             ${organization_id}::uuid, ${wanted.name}, ${hashKey(wanted.key)}::bytea,
             ${wanted.expires_at ?? null}::timestamptz, ${wanted.read_only}::boolean
       where (select count(*) from api_key
               where user_id = ${service_account_id} and revoked_at is null
                 and (expires_at is null or expires_at > now())) < ${MOST_KEYS}
      returning *),
    audited as (${auditRow({
      action: 'service_account.create_key',
      requestId: wanted.requestId,
      target: sql`made.user_id`,
      organization: sql`made.organization_id`,
      before: sql`null`,
      after: sql`
        jsonb_build_object('name', made.name, 'expires_at', made.expires_at,
                           'read_only', made.read_only)`,
      from: sql`made`,
    })})
    select ${ownKey.json} as item from made t`);
