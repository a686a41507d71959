import type { Database } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { type Endpoint, isListed } from '../../platform/network/host-pattern.ts';
import type { Variables } from '../../platform/variables/variables-of.ts';
import type { McpServer, Named } from '../agents/agent.ts';
import type { Network } from '../network/network.ts';
import type { Turn } from './claim.ts';

/** Why an agent is not given a server, for an event. */
export interface LeftOut {
  text: string;
  network?: Endpoint & { purpose: 'agent'; because: 'not_listed'; allow: string | null };
}

interface Given {
  variables: Variables;
  /** What the agent reaches; undefined where nothing stands in between. */
  network: Pick<Network, 'hosts'> | undefined;
  onLeftOut(why: LeftOut): void;
}

/** The MCP servers for the agent of a turn, with the values that their variables have now. */
export async function mcpServersOf(
  db: Pick<Database, 'read'>,
  { projectId, mode }: Pick<Turn, 'projectId' | 'mode'>,
  { variables, network, onLeftOut }: Given,
): Promise<McpServer[]> {
  const rows = await db.read<Row>(servers(projectId, mode));
  const hosts = network && new Set(network.hosts);
  return rows.flatMap((row) => {
    const { name, url, host, port, command, args } = row;
    if (hosts !== undefined && url !== null && !isListed(hosts, { host, port })) {
      onLeftOut(unreachable(row));
      return [];
    }
    if (lengthOf([...row.headers, ...row.env], variables) > LONGEST) {
      onLeftOut(tooLong(name));
      return [];
    }
    const missing = new Set<string>();
    const fill = (values: readonly Named[]) =>
      values.map(({ name: of, value }) => ({
        name: of,
        value: value.replaceAll(REFERENCE, (_, wanted: string) => {
          if (!Object.hasOwn(variables.env, wanted)) missing.add(wanted);
          return variables.env[wanted] ?? '';
        }),
      }));
    const headers = fill(row.headers);
    const env = fill(row.env);
    // A line break in a header would be another header, or an error that shows the value.
    const broken = headers.find(({ value }) => /[^\t\x20-\x7e\x80-\xff]/.test(value));
    if (missing.size > 0) onLeftOut(withoutValues(name, [...missing], mode));
    else if (broken !== undefined) onLeftOut(noHeader(name, broken.name));
    else return [url === null ? { name, command, args, env } : { name, url, headers }];
    return [];
  });
}

/** Characters of all headers, or variables, of one server. */
const LONGEST = 128 * 1024;

/** Of values as they would be: a reference has four characters, and what it stands for thousands. */
const lengthOf = (values: readonly Named[], { env }: Variables): number =>
  values
    .flatMap(({ value }) => [
      value.length,
      ...Array.from(value.matchAll(REFERENCE), ([, wanted = '']) =>
        Object.hasOwn(env, wanted) ? (env[wanted]?.length ?? 0) : 0,
      ),
    ])
    .reduce((sum, length) => sum + length, 0);

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** With `host` and `port` if it has a `url`, and a `command` otherwise. */
interface Row extends Endpoint {
  name: string;
  url: string | null;
  headers: Named[];
  command: string;
  args: string[];
  env: Named[];
}

const servers = (projectId: string, mode: 'plan' | 'build'): Sql => sql`
  select name, url, host, port, headers, command, args, env
    from project_mcp_server
   where project_id = ${projectId} and ${mode}::text = any (turns)
     and (read_only or ${mode}::text <> 'plan')
   order by name collate "C"`;

function unreachable({ name, host, port }: Row): LeftOut {
  const listable = port === 443 || port === 80;
  const next = listable
    ? 'An admin of the project can add it.'
    : 'Only the operator of this server can open it.';
  return {
    text:
      `The MCP server ${name} is not used: ${host}:${port} is not on this project's list for ` +
      `agents. ${next}`,
    network: {
      host,
      port,
      purpose: 'agent',
      because: 'not_listed',
      allow: listable ? host : null,
    },
  };
}

const withoutValues = (name: string, missing: string[], mode: 'plan' | 'build'): LeftOut => ({
  text:
    `The MCP server ${name} is not used: it needs ${missing.join(', ')}, which the project does ` +
    `not have for agents${mode === 'plan' ? ', or which is a secret: a turn that plans gets none' : ''}.`,
});

const tooLong = (name: string): LeftOut => ({
  text:
    `The MCP server ${name} is not used: with the values of their variables, its headers and its ` +
    `variables have more than ${LONGEST / 1024} KiB.`,
});

const noHeader = (name: string, header: string): LeftOut => ({
  text: `The MCP server ${name} is not used: the value of its header ${header} has line breaks or signs that a header cannot have.`,
});
