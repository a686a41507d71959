import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import {
  AGENT_ACCESS,
  activeConnectionsQuery,
  type Connection,
  connectionsQuery,
  ENVIRONMENTS,
  versionOf,
} from '../../data/erp.ts';
import { refreshTask } from '../../data/task.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { ErpInstance } from './erp-instance.tsx';
import type { Task } from './states.ts';

/** The ERP systems that the agent of a task may use. */
export function ErpPanel({ task }: { task: Task }): ReactNode {
  return (
    <div className="flex flex-col gap-6">
      <Connections task={task} />
      <ErpInstance task={task} />
    </div>
  );
}

/** The connections of the project, and which of them are active in this task. */
function Connections({ task }: { task: Task }): ReactNode {
  const all = useQuery(connectionsQuery(task.project_id));
  const active = useQuery(activeConnectionsQuery(task.id));
  const failed = [all, active].find(({ error }) => error !== null);
  const uses = new Map(active.data?.map((each) => [each.connection_id, each]));
  return (
    <Section title="Connections of the project">
      {failed && <Failure error={failed.error} retry={() => void failed.refetch()} />}
      {all.data?.length === 0 && (
        <Empty>
          The project has no connections to Odoo. Admins add them in the{' '}
          <Link
            to="/projects/$project/settings"
            params={{ project: task.project_id }}
            className="text-link underline"
          >
            settings of the project
          </Link>
          .
        </Empty>
      )}
      {all.data !== undefined && all.data.length > 0 && active.data !== undefined && (
        <>
          <p className="max-w-prose text-muted">
            The agent reaches only what is active here, from its next turn on, and never gets a
            secret.
          </p>
          <ul aria-label="Connections of the project" className="flex flex-col gap-2">
            {all.data.map((connection) => (
              <li key={connection.id} className="rounded-box border border-line p-3">
                <Row task={task} connection={connection} use={uses.get(connection.id)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function Row({
  task,
  connection,
  use,
}: {
  task: Task;
  connection: Connection;
  /** If it is active in this task. */
  use: components['schemas']['TaskOdooConnection'] | undefined;
}): ReactNode {
  const [failure, setFailure] = useState<unknown>();
  const { id, name, url, environment, agent_access } = connection;
  const ids = { task_id: task.id, connection_id: id };
  const path = '/api/tasks/{task_id}/odoo-connections/{connection_id}';
  const hindrance = hindranceOf(connection);
  const may =
    use === undefined &&
    hindrance === undefined &&
    task.available_actions.includes('activate_odoo_connection');
  const change = async (activate: boolean) => {
    await (activate ? guildhall.put(path, ids) : guildhall.delete(path, ids));
    await refreshTask(task.id);
  };
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-2">
        <h3 dir="auto" className="min-w-0 flex-1 font-medium">
          {name}
        </h3>
        {may && (
          <ActButton act={() => change(true)} onFailure={setFailure} label={`Activate ${name}`}>
            Activate
          </ActButton>
        )}
        {use?.available_actions.includes('deactivate_odoo_connection') && (
          <ActButton act={() => change(false)} onFailure={setFailure} label={`Deactivate ${name}`}>
            Deactivate
          </ActButton>
        )}
      </div>
      <p>{url}</p>
      <p className="text-muted">
        <strong className="font-medium text-text">{ENVIRONMENTS[environment]}</strong>
        {' · '}
        {versionOf(connection)}
        {' · '}
        {AGENT_ACCESS[agent_access]}
      </p>
      {hindrance !== undefined && <p className="text-waiting">{hindrance}</p>}
      {environment === 'production' && agent_access === 'write' && (
        <p className="text-waiting">
          Where it is active, the agent can change the running business.
        </p>
      )}
      {use === undefined ? (
        <p>
          <Status state="idle">Not active here</Status>
        </p>
      ) : (
        <p className="flex flex-wrap items-center gap-2">
          <Status state="done">Active</Status>
          <span className="text-muted">
            since <Time at={use.activated_at} />
          </span>
        </p>
      )}
      {failure !== undefined && <Failure error={failure} />}
    </div>
  );
}

/** Why the agent could not use a connection, active or not. */
function hindranceOf({ agent_access, has_secret }: Connection): string | undefined {
  if (agent_access === 'none') return 'An admin of the project can let agents use it.';
  if (!has_secret) return 'It has no secret: an admin of the project can store one.';
  return undefined;
}
