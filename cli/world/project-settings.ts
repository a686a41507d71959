import Type from 'typebox';
import {
  FILE_PATH,
  IMAGE_ID,
  MOST_CACHE,
  MOST_CACHE_PATH,
  MOST_IMAGE_ID,
  MOST_SETUP,
  MOST_SETUP_MINUTES,
} from '../../server/code/repositories/environment-fields.ts';
import { ValidationError } from '../../server/http/errors.ts';
import { readPublicPattern } from '../../server/platform/network/host-pattern.ts';
import { PURPOSES, type Purpose } from '../../server/platform/pods/purposes.ts';
import { checkServer, type ServerBody } from '../../server/projects/mcp-servers/check-server.ts';
import { MOST_SERVERS, TURNS } from '../../server/projects/mcp-servers/mcp-server.ts';
import { isReserved, VARIABLE_NAME } from '../../server/projects/variables/names.ts';
import { MOST_OF_PROJECT, MOST_VARIABLES } from '../../server/projects/variables/variable.ts';
import { type Item, itemsOf, type Report, text } from './items.ts';
import { checked, filled, list, strict } from './schema-parts.ts';

/** What a world file says of the processes of a project. Secrets are named; their values are not there. */

const LONGEST_INSTRUCTIONS = 20_000;
const LONGEST_VALUE = 32_768;
const MOST_HOSTS = 100;
const LINES = /^(?:\P{Cc}|[\t\r\n])*$/u;

const controlFault = (value: string): string | undefined =>
  value.isWellFormed() && LINES.test(value)
    ? undefined
    : 'must not contain control characters but tabs and line ends';

/** A text of several lines. */
const lines = (maximum: number) =>
  checked((value) => {
    const length = Array.from(value).length;
    return length < 1 || length > maximum
      ? `must have 1 to ${maximum} characters`
      : controlFault(value);
  });

export const instructions = () => lines(LONGEST_INSTRUCTIONS);

const path = () =>
  checked((value) =>
    value.isWellFormed() &&
    value.length <= MOST_CACHE_PATH &&
    new RegExp(FILE_PATH, 'u').test(value)
      ? undefined
      : 'must be the path of a file in the repository, such as "package-lock.json"',
  );

const environment = strict({
  image: Type.Optional(
    checked((value) =>
      value.length <= MOST_IMAGE_ID && new RegExp(IMAGE_ID).test(value)
        ? undefined
        : 'must be the id of an image, such as "node-22"',
    ),
  ),
  setup: Type.Optional(lines(MOST_SETUP)),
  setup_timeout_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_SETUP_MINUTES })),
  cache: Type.Optional(Type.Array(path(), { maxItems: MOST_CACHE })),
});

const hosts = () =>
  Type.Optional(
    Type.Array(
      checked((value) =>
        readPublicPattern(value) === value
          ? undefined
          : 'must be a name or *. and a name, in lower case, such as "registry.example.com"',
      ),
      { maxItems: MOST_HOSTS },
    ),
  );

const network = strict({ setup: hosts(), agent: hosts(), checks: hosts(), deploy: hosts() });

const name = () =>
  checked((value) =>
    new RegExp(VARIABLE_NAME).test(value) && !isReserved(value)
      ? undefined
      : 'must be the name of a variable that a project may set, such as "NPM_TOKEN"',
  );

const secret = {
  name: name(),
  stage: Type.Optional(Type.Enum(['staging', 'production'])),
  purposes: Type.Array(Type.Enum(PURPOSES), { minItems: 1, maxItems: PURPOSES.length }),
};

const value = () =>
  checked((given) =>
    Buffer.byteLength(given) > LONGEST_VALUE
      ? `must have at most ${LONGEST_VALUE} bytes`
      : controlFault(given),
  );

const word = (maximum: number, pattern?: RegExp) =>
  checked((given) =>
    given.length >= 1 && given.length <= maximum && (pattern === undefined || pattern.test(given))
      ? controlFault(given)
      : 'is not what an MCP server may have there: see PUT /api/projects/{project_id}/mcp-servers/{name}',
  );

const pairs = (pattern: RegExp) =>
  filled(
    Type.Array(strict({ name: word(100, pattern), value: word(2_000) }), { maxItems: 20 }),
    [],
  );

const mcpServer = strict({
  name: word(50, /^[A-Za-z0-9_-]+$/),
  url: Type.Optional(word(2_000)),
  headers: pairs(/^[A-Za-z0-9-]+$/),
  command: Type.Optional(word(500)),
  args: filled(Type.Array(word(1_000), { maxItems: 50 }), []),
  env: pairs(new RegExp(VARIABLE_NAME)),
  turns: Type.Array(Type.Enum(TURNS), { minItems: 1, maxItems: TURNS.length }),
  read_only: Type.Boolean(),
});

export const projectSettings = {
  instructions: Type.Optional(instructions()),
  environment: Type.Optional(environment),
  network: Type.Optional(network),
  variables: list(strict({ ...secret, value: value() })),
  secrets: list(strict(secret)),
  mcp_servers: list(mcpServer),
};

/** Reports what variables and secrets say about each other. */
export function checkVariables(report: Report, project: Item): void {
  const variables = itemsOf(project, project.pointer, 'variables');
  const all = [...variables, ...itemsOf(project, project.pointer, 'secrets')];
  const seen = new Set<string>();
  for (const { pointer, name, stage, purposes } of all) {
    const key = `${name} ${stage}`;
    if (seen.has(key)) report(`${pointer}/name`, 'is there already, for the same stage');
    seen.add(key);
    const given = Array.isArray(purposes) ? purposes : [];
    if (new Set(given).size < given.length)
      report(`${pointer}/purposes`, 'must not name a purpose twice');
    if (stage !== undefined && given.join() !== 'deploy')
      report(`${pointer}/stage`, 'must stand with the purpose deploy alone');
  }
  if (all.length > MOST_VARIABLES)
    report(`${project.pointer}/variables`, `must be at most ${MOST_VARIABLES}, with the secrets`);
  const bytes = variables.reduce((sum, one) => sum + Buffer.byteLength(text(one.value) ?? ''), 0);
  if (bytes > MOST_OF_PROJECT)
    report(`${project.pointer}/variables`, `must have at most ${MOST_OF_PROJECT} bytes in all`);
  if (variables.length > 0 && project.organization === undefined && project.owner === undefined)
    report(`${project.pointer}/variables`, 'need a workspace or an owner, who sets them');
}

/** Reports what the API would refuse of MCP servers. */
export function checkServers(report: Report, project: Item): void {
  const servers = itemsOf(project, project.pointer, 'mcp_servers');
  const seen = new Set<string>();
  for (const server of servers) {
    const { pointer, name = '' } = server;
    if (seen.has(String(name))) report(`${pointer}/name`, 'is there already');
    seen.add(String(name));
    if (typeof server.read_only !== 'boolean' || !Array.isArray(server.turns)) continue;
    try {
      checkServer({ headers: [], env: [], args: [], ...server } as unknown as ServerBody);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      report(pointer, error.items[0]?.msg ?? error.message);
    }
  }
  if (servers.length > MOST_SERVERS)
    report(`${project.pointer}/mcp_servers`, `must be at most ${MOST_SERVERS}`);
  if (servers.length > 0 && project.organization === undefined && project.owner === undefined)
    report(`${project.pointer}/mcp_servers`, 'need a workspace or an owner, who sets them');
}

type Settings = Type.StaticDecode<ReturnType<typeof strict<typeof projectSettings>>>;

/** Rows of the tables of these settings, for the project `id`, by whoever owns it. */
export function settingsRows(
  id: string,
  {
    environment,
    network,
    variables,
    mcp_servers,
  }: Pick<Settings, 'environment' | 'network' | 'variables' | 'mcp_servers'>,
  owner: string | undefined,
): {
  project_environment: object[];
  project_network_host: object[];
  project_variable: object[];
  project_mcp_server: object[];
} {
  const listed = Object.entries(network ?? {}) as [Purpose, string[]][];
  return {
    project_environment:
      environment && Object.keys(environment).length > 0
        ? [{ project_id: id, ...environment }]
        : [],
    project_network_host: listed.flatMap(([purpose, hosts]) =>
      [...new Set(hosts)].map((host) => ({ project_id: id, purpose, host })),
    ),
    project_variable: variables.map(({ purposes, ...variable }) => ({
      project_id: id,
      ...variable,
      purposes: PURPOSES.filter((purpose) => purposes.includes(purpose)),
      updated_by_user_id: owner,
    })),
    project_mcp_server: mcp_servers.map((server) => ({
      project_id: id,
      ...server,
      ...checkServer(server as ServerBody),
      updated_by_user_id: owner,
    })),
  };
}
