import Type from 'typebox';
import { type Actions, actionsSchema, availableActions } from '../../access/actions.ts';
import { MOST_CONNECTIONS } from '../../access/odoo-connection.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { boolean, dateTime, nullable, oneOf, text, uuid } from '../../http/input/fields.ts';
import { name } from '../../http/input/names.ts';
import { resource } from '../../http/resource.ts';
import { timestamp, timestampSql } from '../../http/timestamps.ts';
import { address } from './address.ts';
import { lastProbe, lastProbeExample } from './last-probe.ts';

export const ENVIRONMENTS = ['production', 'staging', 'development'] as const;
export const AGENT_ACCESS = ['none', 'read', 'write'] as const;

/** What a person may do to a connection. */
const connectionActions: Actions = {
  get_odoo_connection: 'open_project',
  update_odoo_connection: 'update_project',
  delete_odoo_connection: 'update_project',
  probe_odoo_connection: 'work_on_task',
};

const database = () =>
  text({
    minLength: 1,
    maxLength: 100,
    description: 'Needed where the server has several.',
  });
const login = () =>
  text({
    minLength: 1,
    maxLength: 254,
    description: 'The user; an API key of Odoo 19 needs none.',
  });

/** What is sent, sealed, and never shown. */
const secret = () =>
  text({
    minLength: 1,
    maxLength: 1_000,
    writeOnly: true,
    description: 'The API key or the password. It is stored encrypted and never shown.',
  });

const kind = () =>
  oneOf(['api_key', 'password'], {
    description: 'What the secret is. An API key can be withdrawn.',
  });
const environment = () => oneOf([...ENVIRONMENTS]);
const agentAccess = () =>
  oneOf([...AGENT_ACCESS], {
    description:
      'What agents may do there. `write` on a production database must be said in the request that ' +
      'makes it so: a connection that becomes `production` otherwise drops to `read`.',
  });
const agentExceptions = () =>
  Type.Array(
    Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[a-z0-9_.]{1,128}(/[a-z0-9_]{1,64})?$',
    }),
    {
      maxItems: 50,
      uniqueItems: true,
      description:
        'Models, and fields as `model/field`, that agents may see, and with `write` change, although ' +
        'they may nowhere else: passwords, keys, rights and code. Empty unless an admin says so. ' +
        'Another host, and becoming `production`, empty it unless the same request has it.',
    },
  );
const expiry = () => dateTime({ description: 'When the secret stops working, if that is known.' });

/** A connection to Odoo, from a row `t` of `odoo_connection` beside `authorized`. */
const shape = resource(
  'OdooConnection',
  {
    id: [uuid(), sql`t.id`, 'a3bb189e-8bf9-4c8b-9f0e-1c2d3e4f5a6b'],
    project_id: [uuid(), sql`t.project_id`, 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11'],
    name: [name({ maxLength: 100 }), sql`t.name`, 'Production', 'writable'],
    url: [address(), sql`t.url`, 'https://erp.example.com', 'writable'],
    database: [database(), sql`t.database`, 'erp', 'clearable'],
    login: [login(), sql`t.login`, 'guildhall', 'clearable'],
    has_secret: [boolean(), sql`t.secret is not null`, true],
    kind: [kind(), sql`t.kind`, 'api_key', 'writable'],
    environment: [environment(), sql`t.environment`, 'production', 'writable'],
    agent_access: [agentAccess(), sql`t.agent_access`, 'read', 'writable'],
    agent_exceptions: [
      agentExceptions(),
      sql`to_jsonb(t.agent_exceptions)`,
      ['ir.mail_server', 'res.partner/signup_token'],
      'writable',
    ],
    erp_version: [
      Type.Optional(Type.String({ description: 'As the server says.' })),
      sql`t.erp_version`,
      '19.0',
    ],
    edition: [
      oneOf(['community', 'enterprise', 'unknown'], { description: 'As far as it can be seen.' }),
      sql`t.edition`,
      'community',
    ],
    secret_set_at: [Type.Optional(timestamp()), sql`t.secret_set_at`, '2026-11-21T08:15:30.123Z'],
    secret_expires_at: [
      expiry(),
      sql`t.secret_expires_at`,
      '2027-02-21T00:00:00.000Z',
      'clearable',
    ],
    last_probe: [lastProbe, sql`t.last_probe`, lastProbeExample],
    created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
    updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
    available_actions: [
      actionsSchema(),
      availableActions(sql`authorized.acts_as`, connectionActions),
      Object.keys(connectionActions),
    ],
  },
  { project: 'project_id' },
);

/** The fields of a new connection, and of an update, where each may be left out. */
const { url, name: named, kind: kinds, environment: environments } = shape.writable;

export const connection = {
  ...shape,
  /** The body of a new one. */
  added: Type.Object(
    {
      name: named,
      url,
      kind: kinds,
      environment: environments,
      database: Type.Optional(database()),
      login: Type.Optional(login()),
      secret: Type.Optional(secret()),
      agent_access: Type.Optional(agentAccess()),
      agent_exceptions: Type.Optional(agentExceptions()),
      secret_expires_at: Type.Optional(expiry()),
    },
    { additionalProperties: false },
  ),
  /** The body of an update: `null` clears what may be empty. */
  changes: Type.Object(
    {
      ...shape.changes.properties,
      secret: Type.Optional(nullable(secret(), { writeOnly: true })),
    },
    { additionalProperties: false },
  ),
  /** What the audit trail keeps of one: when its secret was set, and never the secret. */
  snapshot: (row: Sql) => sql`
    jsonb_build_object(
      'name', (${row}).name,
      'host', split_part((${row}).url, '://', 2),
      'database', (${row}).database,
      'login', (${row}).login,
      'kind', replace((${row}).kind, '_', ' '),
      'environment', (${row}).environment,
      'agent_access', (${row}).agent_access,
      'agent_exceptions', array_to_string((${row}).agent_exceptions, ' '),
      'secret_set_at', ${timestampSql(sql`(${row}).secret_set_at`)},
      'secret_expires_at', ${timestampSql(sql`(${row}).secret_expires_at`)})`,
};

/**
 * SQL: `caller` and `authorized` for a statement inside a transaction, as the audit row and
 * `available_actions` take them. Whoever has come this far may write.
 */
export const writer = (by: Caller & { acts_as: string }): Sql => sql`
  caller as (
    select ${by.userId}::uuid as user_id, ${by.keyId}::uuid as key_id,
           ${by.sessionId}::uuid as session_id, false as read_only),
  authorized as (select ${by.acts_as}::text as acts_as)`;

/** Has the name of the unique index. */
export const connectionNameTaken = fieldError(
  'odoo_connection_name_taken',
  ['body', 'name'],
  'The project already has a connection with this name: choose a different one',
);

export const secretRequired = fieldError(
  'odoo_secret_required',
  ['body', 'secret'],
  'A secret is used only where, and as what, it was given: send it again with the new address or kind',
);

export const tooManyConnections = apiError(
  409,
  'too_many_odoo_connections',
  `A project has at most ${MOST_CONNECTIONS} connections: delete one first`,
);

export const connectionChanged = apiError(
  412,
  'odoo_connection_changed',
  'The connection has changed since you read it: read it again, then update it',
);
