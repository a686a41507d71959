import Type from 'typebox';
import { type Sql, sql } from '../../db/sql.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { boolean, exactlyOneOf, list, object, oneOf, text, uuid } from '../../http/input/fields.ts';
import { type Resource, resource } from '../../http/resource.ts';
import { ids } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';
import type { OperatorsHosts } from '../network.ts';
import { VARIABLE_NAME } from '../variables/names.ts';

export const MOST_SERVERS = 20;

export const TURNS = ['plan', 'build'] as const;

const name = () =>
  Type.String({
    maxLength: 50,
    pattern: '^[A-Za-z0-9_-]{1,50}$',
    description: 'What agents call it: letters, digits, underscores and hyphens.',
  });

const value = () =>
  text({
    minLength: 1,
    maxLength: 2000,
    description: `\`\${NAME}\` stands for the variable of that name that the project has for agents.`,
  });

const headers = () =>
  list(
    object({
      name: Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9-]{1,100}$' }),
      value: value(),
    }),
    { maxItems: 20, default: [], description: 'Headers of each request to `url`.' },
  );

const env = () =>
  list(object({ name: Type.String({ maxLength: 100, pattern: VARIABLE_NAME }), value: value() }), {
    maxItems: 20,
    default: [],
    description: 'Variables of the environment of `command`.',
  });

const args = () =>
  list(text({ minLength: 1, maxLength: 1000 }), {
    maxItems: 50,
    default: [],
    description: 'Arguments of `command`.',
  });

const url = () =>
  text({
    minLength: 1,
    maxLength: 2000,
    description:
      'Where it is, by https or http. Agents reach it if its host is on the list of the project ' +
      'for agents.',
  });

const command = () =>
  text({
    minLength: 1,
    maxLength: 500,
    description: 'A program of the image in which agents work; it speaks on its standard streams.',
  });

const turns = () =>
  list(oneOf([...TURNS]), {
    minItems: 1,
    maxItems: TURNS.length,
    description: 'Which turns get it: those that plan, those that build.',
  });

const readOnly = () =>
  boolean({
    description:
      'Whether you say that it changes nothing, wherever it is. Only such a one is for turns ' +
      'that plan; nothing checks it.',
  });

/** A list of hosts, as jsonb, may hold the host of a row `t`; as `isListed` of host-pattern.ts. */
const listed = ({ hosts, fixed }: OperatorsHosts): Sql => sql`
  exists (
    select from (
      select n.host as pattern from project_network_host n
       where n.project_id = t.project_id and n.purpose = 'agent' and not ${fixed.includes('agent')}
      union all select unnest(${hosts.agent}::text[])) p
     cross join lateral (
       select regexp_replace(p.pattern, ':[0-9]+$', '') as name,
              substring(p.pattern from ':([0-9]+)$')::integer as port) pattern
     where (pattern.port = t.port or pattern.port is null and t.port in (443, 80))
       and (pattern.name = t.host
            or starts_with(pattern.name, '*.')
               and right(t.host, length(pattern.name) - 1) = substr(pattern.name, 2)))`;

/** A server that agents of a project are given, from a row `t` of `project_mcp_server`. */
export const mcpServer = (operators: OperatorsHosts) =>
  resource('McpServer', {
    name: [name(), sql`t.name`, 'docs'],
    url: [Type.Optional(url()), sql`t.url`, 'https://mcp.example.com/mcp'],
    headers: [
      headers(),
      sql`t.headers`,
      [{ name: 'Authorization', value: `Bearer \${DOCS_TOKEN}` }],
    ],
    command: [Type.Optional(command()), sql`t.command`, undefined],
    args: [args(), sql`to_json(t.args)`, []],
    env: [env(), sql`t.env`, []],
    turns: [turns(), sql`to_json(t.turns)`, ['build']],
    read_only: [readOnly(), sql`t.read_only`, false],
    host_allowed: [
      Type.Optional(
        boolean({
          description:
            'Whether agents of the project may reach its host; otherwise they are not given it. ' +
            'Absent for a command.',
        }),
      ),
      sql`case when t.url is not null then ${listed(operators)} end`,
      false,
    ],
    updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
    updated_by_user_id: [uuid(), sql`t.updated_by_user_id`, '3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  });

// biome-ignore lint/suspicious/noExplicitAny: whatever its fields are.
export type McpServerResource = Resource<any>;

/** The path of one. */
export const serverParams = Type.Object({ ...ids('project_id').properties, name: name() });

/** The body that sets one. */
export const serverSet = object(
  {
    url: Type.Optional(url()),
    headers: headers(),
    command: Type.Optional(command()),
    args: args(),
    env: env(),
    turns: turns(),
    read_only: readOnly(),
  },
  exactlyOneOf('url', 'command'),
);

/** What the audit trail keeps of one: no value of a header or a variable. */
export const serverSnapshot = (row: Sql): Sql => sql`
  jsonb_build_object(
    'name', (${row}).name,
    'host', (${row}).host,
    'command', (${row}).command,
    'turns', array_to_string((${row}).turns, ' '),
    'read_only', (${row}).read_only)`;

export const kindUnclear = fieldError(
  'mcp_server_kind',
  ['body', 'url'],
  'A server has a url and headers, or a command with args and env: send one of the two',
);

export const urlInvalid = fieldError(
  'mcp_server_url_invalid',
  ['body', 'url'],
  'This should be an address such as https://mcp.example.com/mcp, without a password or a fragment',
);

export const urlOpen = fieldError(
  'mcp_server_url_not_encrypted',
  ['body', 'url'],
  `Values of variables are sent by https only: use https, or headers without \${NAME}`,
);

export const planChanges = fieldError(
  'mcp_server_not_read_only',
  ['body', 'turns'],
  'Turns that plan get only what changes nothing: set read_only if that is so, or send ["build"]',
);

export const turnRepeated = fieldError(
  'mcp_server_turn_repeated',
  ['body', 'turns'],
  'Each kind of turn may be listed once: remove the repeated one',
);

export const valueOpen = fieldError(
  'mcp_server_value_is_secret',
  ['body', 'headers', 0, 'value'],
  `What is written here is shown to every admin: set it as a secret of the project for agents, and write \${NAME}`,
);

export const tooManyServers = apiError(
  409,
  'too_many_mcp_servers',
  `A project has at most ${MOST_SERVERS} MCP servers: remove one first`,
);
