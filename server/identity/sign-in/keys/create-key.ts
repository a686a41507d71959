import Type from 'typebox';
import { lockedSelf } from '../../../access/session.ts';
import type { Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import type { Caller } from '../../../http/caller.ts';
import { apiError, fieldError } from '../../../http/errors.ts';
import { boolean, dateTime, uuid } from '../../../http/input/fields.ts';
import { route } from '../../../http/route.ts';
import { actor, auditRow } from '../../../platform/audit/audit.ts';
import { hashKey, mintKey } from '../../keys/key.ts';
import { ownKey } from './own-key.ts';

/** How many keys one person may have that are neither revoked nor expired. */
const MOST_KEYS = 50;

const tooManyKeys = apiError(
  409,
  'too_many_keys',
  `You have ${MOST_KEYS} API keys, which is the most: revoke those that you no longer use`,
);
export const expiresInThePast = fieldError(
  'expires_in_the_past',
  ['body', 'expires_at'],
  'The key would have expired already: choose a later time, or leave it out',
);
const workspaceNotFound = fieldError(
  'workspace_not_found',
  ['body', 'organization_id'],
  'You are not a member of such a workspace',
);

const body = Type.Object(
  {
    name: ownKey.writable.name,
    expires_at: Type.Optional(dateTime({ description: 'Without it, the key does not expire.' })),
    read_only: boolean({ default: false, description: 'Whether it can only read.' }),
    organization_id: Type.Optional(uuid({ description: 'The only workspace that it opens.' })),
  },
  { additionalProperties: false },
);

const shown = Type.Object(
  {
    ...ownKey.schema.properties,
    key: Type.String({ description: 'The key itself. It is shown only this once.' }),
  },
  { $id: 'NewApiKey' },
);

/** The answer that shows a new key, once. */
export const newApiKey = {
  description: 'The new key.',
  schema: shown,
  example: { ...ownKey.example, key: 'gld_0000000000000000000000000000000002ZHBDY' },
};

/** Makes an API key of the caller. */
export const createKey = route({
  method: 'POST',
  path: '/auth/keys',
  area: 'Sign-in',
  operationId: 'create_key',
  summary: 'Create an API key',
  description:
    'Makes an API key with your permissions, or fewer: for reading alone, or in one workspace ' +
    `alone. The answer shows it, and nothing else ever does. At most ${MOST_KEYS} at a time.`,
  credential: 'proven-session',
  access: lockedSelf,
  body,
  sample: () => ({ body: { name: 'CI of the shop', read_only: true } }),
  responses: {
    201: newApiKey,
  },
  errors: [tooManyKeys, expiresInThePast, workspaceNotFound],
  handle: ({ body: wanted, requestId, transaction }) =>
    transaction(async (tx, caller) => {
      const { expires_at: expiresAt, organization_id: workspace } = wanted;
      if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now())
        throw expiresInThePast(expiresAt);
      if (workspace !== undefined && !(await isMember(tx, caller.userId, workspace)))
        throw workspaceNotFound(workspace);
      if ((await liveKeys(tx, caller.userId)) >= MOST_KEYS) throw tooManyKeys();
      const key = mintKey();
      const { item } = await insert(tx, caller, { ...wanted, key, requestId });
      return { status: 201, body: { ...JSON.parse(item), key } };
    }),
});

const isMember = async (tx: Tx, userId: string, organizationId: string): Promise<boolean> =>
  (
    await tx.many(sql`
      select from membership where user_id = ${userId} and organization_id = ${organizationId}`)
  ).length > 0;

const liveKeys = async (tx: Tx, userId: string): Promise<number> =>
  (
    await tx.one<{ count: number }>(sql`
      select count(*)::int as count from api_key
       where user_id = ${userId} and oauth_client_id is null and revoked_at is null
         and (expires_at is null or expires_at > now())`)
  ).count;

interface Wanted {
  name: string;
  expires_at?: string;
  read_only: boolean;
  organization_id?: string;
  key: string;
  requestId: string;
}

const insert = (tx: Tx, caller: Caller, wanted: Wanted) =>
  tx.one<{ item: string }>(sql`
    with ${actor(caller)},
    made as (
      insert into api_key (user_id, name, secret_hash, expires_at, read_only, organization_id)
      values (${caller.userId}, ${wanted.name}, ${hashKey(wanted.key)},
              ${wanted.expires_at ?? null}, ${wanted.read_only}, ${wanted.organization_id ?? null})
      returning *),
    audited as (${auditRow({
      action: 'key.create',
      requestId: wanted.requestId,
      target: sql`made.id`,
      organization: sql`null::uuid`,
      before: sql`null`,
      after: sql`
        jsonb_build_object('name', made.name, 'expires_at', made.expires_at,
                           'read_only', made.read_only, 'organization_id', made.organization_id)`,
      from: sql`made`,
    })})
    select ${ownKey.json} as item from made t`);
