import { onProject } from '../access/project.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Caller } from '../http/caller.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { matches } from '../http/preconditions.ts';
import { ids, route } from '../http/route.ts';
import { actor, auditRow } from '../platform/audit/audit.ts';
import {
  checkedLists,
  hostInvalid,
  hostRepeated,
  listsOf,
  type NetworkChanges,
  networkChanged,
  networkChanges,
  networkFixed,
  networkJson,
  networkRevision,
  networkShown,
  type OperatorsHosts,
} from './network.ts';

/** Says which hosts the processes of a project may reach. */
export const setNetwork = ({ network: operators }: { network: OperatorsHosts }) =>
  route({
    method: 'PUT',
    path: '/api/projects/{project_id}/network',
    area: 'Projects',
    operationId: 'set_network',
    summary: 'Set the network of a project',
    description:
      'Replaces the lists that are sent, each at most 100 hosts; one that is omitted stays as it ' +
      'is. What begins after that reaches the hosts of its list; what runs keeps those it has. ' +
      'Whatever is listed, no address is reached that is not public, unless the operator has ' +
      'opened it. Admins of the project, and the owner and admins of its workspace only. Send the ' +
      '`ETag` of the lists you have read as `If-Match` to avoid overwriting a later change.',
    access: onProject('update_project'),
    params: ids('project_id'),
    body: networkChanges(),
    sample: () => ({
      body: { agent: ['docs.example.com'], checks: ['*.registry.example', 'mirror.example:443'] },
    }),
    responses: { 200: networkShown('The current lists, each sorted.') },
    headers: { 'If-Match': 'The ETag of the lists that you have read.' },
    errors: [hostInvalid, hostRepeated, networkFixed, networkChanged],
    // The lock on the project comes first: the statements then see what the last change wrote.
    handle: ({ body, headers, requestId, transaction }) => {
      const lists = checkedLists(body, operators.fixed);
      return transaction(async (tx, project) => {
        const expected = headers['if-match'];
        const [changed] = await tx.many(replaced(project, lists, expected, requestId));
        if (changed === undefined) throw networkChanged();
        return shownAs(200, await tx.one<Shown>(shown(project, operators)));
      });
    },
  });

interface Place extends Caller {
  project_id: string;
  organization_id: string | null;
}

// The audit event holds what was added to each list and removed from it, not the lists.
const replaced = (
  { project_id, organization_id, ...caller }: Place,
  lists: NetworkChanges,
  ifMatch: string | undefined,
  requestId: string,
): Sql => sql`
  with ${actor(caller)},
  expected as materialized (
    select from (select ${listsOf(sql`${project_id}::uuid`)} as lists) l
     where ${matches(ifMatch, networkRevision(sql`l.lists`))}),
  wanted as materialized (
    select l.purpose, h.host
      from expected, jsonb_each(${JSON.stringify(lists)}::jsonb) l(purpose, hosts),
           jsonb_array_elements_text(l.hosts) h(host)),
  removed as (
    delete from project_network_host n using expected
     where n.project_id = ${project_id}
       and n.purpose = any(${Object.keys(lists)}::text[])
       and not exists (select from wanted w where w.purpose = n.purpose and w.host = n.host)
    returning n.purpose, n.host),
  added as (
    insert into project_network_host (project_id, purpose, host)
    select ${project_id}, purpose, host from wanted
    on conflict (project_id, purpose, host) do nothing
    returning purpose, host),
  changed as (
    select ${byPurpose(sql`removed`)} as removed, ${byPurpose(sql`added`)} as added
     where exists (select from removed) or exists (select from added)),
  audited as (${auditRow({
    action: 'network.update',
    requestId,
    target: sql`${project_id}::uuid`,
    organization: sql`${organization_id}::uuid`,
    project: sql`${project_id}::uuid`,
    before: sql`jsonb_build_object('network_removed', changed.removed)`,
    after: sql`jsonb_build_object('network_added', changed.added)`,
    from: sql`changed`,
  })})
  select 1 from expected`;

const byPurpose = (rows: Sql): Sql => sql`
  (select coalesce(jsonb_object_agg(p.purpose, p.hosts), '{}')
     from (select purpose, jsonb_agg(host order by host collate "C") as hosts
             from ${rows} group by purpose) p)`;

const shown = ({ project_id }: Place, operators: OperatorsHosts): Sql => sql`
  select ${networkJson(sql`lists`, operators)} as item, ${networkRevision(sql`lists`)} as revision
    from (select ${listsOf(sql`${project_id}::uuid`)} as lists) found`;
