import { onProject } from '../../access/project.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import { type Address, checkServer, type ServerBody } from './check-server.ts';
import {
  kindUnclear,
  type McpServerResource,
  MOST_SERVERS,
  planChanges,
  serverParams,
  serverSet,
  serverSnapshot,
  TURNS,
  tooManyServers,
  turnRepeated,
  urlInvalid,
  urlOpen,
  valueOpen,
} from './mcp-server.ts';

/** Gives agents of a project an MCP server. */
export const setMcpServer = (server: McpServerResource) =>
  route({
    method: 'PUT',
    path: '/api/projects/{project_id}/mcp-servers/{name}',
    area: 'Projects',
    operationId: 'set_mcp_server',
    summary: 'Set an MCP server of a project',
    description:
      'Makes the server, or replaces the one of this name as a whole. Agents get it from the next ' +
      'turn on: one at a `url` through the proxy of the project, if its host is on the list for ' +
      'agents (`host_allowed`), or a `command` of the image, which runs beside the agent. ' +
      `\`\${NAME}\` in the value of a header or a variable stands for what the project has set for ` +
      'agents. A turn that plans gets no secret, and so no server that needs one. What agents can ' +
      'do there, nobody approves beforehand. At most 20 servers. Admins of the project, and the ' +
      'owner and admins of its workspace only.',
    access: onProject('update_project'),
    params: serverParams,
    body: serverSet,
    sample: () => ({
      body: {
        url: 'https://mcp.example.com/mcp',
        headers: [{ name: 'Authorization', value: `Bearer \${DOCS_TOKEN}` }],
        turns: ['build'],
        read_only: false,
      },
    }),
    responses: { 200: server.shown('The server.', []) },
    errors: [
      kindUnclear,
      urlInvalid,
      urlOpen,
      planChanges,
      turnRepeated,
      valueOpen,
      tooManyServers,
    ],
    // The lock on the project comes first: what is counted stays until the commit.
    handle: ({ params: { name }, body, requestId, transaction }) => {
      const address = checkServer(body);
      return transaction(async (tx, project) => {
        const stored = await tx.one<{ item: string | null }>(
          set(project, { name, ...body, ...address }, requestId, server),
        );
        if (stored.item === null) throw tooManyServers();
        return { status: 200, body: stored.item };
      });
    },
  });

interface Place extends Caller {
  project_id: string;
  organization_id: string | null;
}

const set = (
  { project_id, organization_id, ...caller }: Place,
  wanted: ServerBody & { name: string } & Partial<Address>,
  requestId: string,
  server: McpServerResource,
): Sql => sql`
  with ${actor(caller)},
  current as materialized (
    select t as row from project_mcp_server t
     where t.project_id = ${project_id} and t.name = ${wanted.name}),
  room as materialized (
    select count(t.id) < ${MOST_SERVERS} as fits
      from (values (true)) one
      left join project_mcp_server t
        on t.project_id = ${project_id} and t.name <> ${wanted.name}),
  changed as (
    insert into project_mcp_server as t
           (project_id, name, url, host, port, headers, command, args, env, turns, read_only,
            updated_at, updated_by_user_id)
    select ${project_id}, ${wanted.name}, ${wanted.url ?? null}::text,
           ${wanted.host ?? null}::text, ${wanted.port ?? null}::integer,
           ${JSON.stringify(wanted.headers)}::jsonb, ${wanted.command ?? null}::text,
           ${wanted.args}::text[], ${JSON.stringify(wanted.env)}::jsonb,
           ${TURNS.filter((turn) => wanted.turns.includes(turn))}::text[],
           ${wanted.read_only}::boolean, clock_timestamp(), caller.user_id
      from room, caller
     where room.fits
    on conflict (project_id, name) do update
       set url = excluded.url, host = excluded.host, port = excluded.port,
           headers = excluded.headers, command = excluded.command, args = excluded.args,
           env = excluded.env, turns = excluded.turns, read_only = excluded.read_only,
           updated_at = excluded.updated_at, updated_by_user_id = excluded.updated_by_user_id
    returning t as row),
  audited as (${auditRow({
    action: 'mcp_server.set',
    requestId,
    target: sql`(changed.row).id`,
    organization: sql`${organization_id}::uuid`,
    project: sql`(changed.row).project_id`,
    before: sql`case when current.row is not null then ${serverSnapshot(sql`current.row`)} end`,
    after: serverSnapshot(sql`changed.row`),
    from: sql`changed left join current on true`,
  })})
  select (select ${server.json} from changed, lateral (select (changed.row).*) t) as item
    from room`;
