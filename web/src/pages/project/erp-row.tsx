import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import {
  AGENT_ACCESS,
  ASKING,
  type Connection,
  ENVIRONMENTS,
  KINDS,
  versionOf,
} from '../../data/erp.ts';
import { refreshProject } from '../../data/project.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ActsMenu } from '../../ui/menu.tsx';
import type { Act } from '../../ui/menu-popup.tsx';
import { type State, Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';

/** A connection in the list: where it leads, what agents may do, and whether it works. */
export function ErpRow({
  connection,
  onEdit,
  onDelete,
}: {
  connection: Connection;
  onEdit: () => void;
  onDelete: () => void;
}): ReactNode {
  const [failure, setFailure] = useState<unknown>();
  const { id, project_id, name, url, database, login, available_actions } = connection;
  const can = (action: string) => available_actions.includes(action);
  const acts: Act[] = [];
  if (can('update_odoo_connection')) acts.push({ label: 'Edit', onSelect: onEdit });
  if (can('delete_odoo_connection'))
    acts.push({ label: 'Delete', danger: true, onSelect: onDelete });
  async function probe(): Promise<void> {
    await guildhall.post(
      '/api/projects/{project_id}/odoo-connections/{connection_id}/probe',
      { project_id, connection_id: id },
      ASKING,
    );
    await refreshProject(project_id);
  }
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-2">
        <h3 dir="auto" className="min-w-0 flex-1 font-medium">
          {name}
        </h3>
        {can('probe_odoo_connection') && (
          <ActButton act={probe} onFailure={setFailure} label={`Check ${name}`}>
            Check
          </ActButton>
        )}
        <ActsMenu label={`Acts on ${name}`} acts={acts} />
      </div>
      <p>
        {url}
        {database !== undefined && <Also name="database">{database}</Also>}
        {login !== undefined && <Also name="login">{login}</Also>}
      </p>
      <p className="text-muted">
        <strong className="font-medium text-text">{ENVIRONMENTS[connection.environment]}</strong>
        {' · '}
        {versionOf(connection)}
        {' · '}
        {AGENT_ACCESS[connection.agent_access]}
        {connection.agent_exceptions.length > 0 && (
          <Also name="exceptions">{connection.agent_exceptions.join(', ')}</Also>
        )}
      </p>
      <Secret connection={connection} />
      <LastProbe probe={connection.last_probe} />
      {failure !== undefined && <Failure error={failure} />}
    </div>
  );
}

function Also({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <>
      <span className="text-muted"> · {name} </span>
      {children}
    </>
  );
}

const DAY = 86_400_000;
const WARN_DAYS = 14;

/** What is stored as the secret, and how long it still works. */
function Secret({
  connection: { has_secret, kind, secret_expires_at: end },
}: {
  connection: Connection;
}): ReactNode {
  if (!has_secret)
    return <Warning>No secret is stored, so agents cannot use it: edit it and add one.</Warning>;
  const what = KINDS[kind];
  if (end === undefined) return <p className="text-muted">{what}, end unknown</p>;
  const left = Date.parse(end) - Date.now();
  if (left > WARN_DAYS * DAY)
    return (
      <p className="text-muted">
        {what}, expires <Time at={end} />
      </p>
    );
  return (
    <Warning wrong={left <= 0}>
      {what} {left > 0 ? 'expires' : 'has expired'} <Time at={end} />: make a new one in Odoo, then
      edit the connection and store it.
    </Warning>
  );
}

function Warning({ wrong = false, children }: { wrong?: boolean; children: ReactNode }): ReactNode {
  return (
    <p className={`flex items-start gap-1.5 ${wrong ? 'text-wrong' : 'text-waiting'}`}>
      <span className="pt-0.5">
        <Icon name="warning" />
      </span>
      <span>{children}</span>
    </p>
  );
}

/** What may be over in a minute; everything else needs a person. */
const PASSING = new Set(['refused', 'timeout', 'database_down', 'rate_limited']);

function shownAs({ code, login_ok }: Connection['last_probe']): { state: State; word: string } {
  if (code === undefined) return { state: 'done', word: login_ok === false ? 'Answers' : 'Works' };
  return PASSING.has(code)
    ? { state: 'waiting', word: 'Not reachable' }
    : { state: 'wrong', word: 'Does not work' };
}

function LastProbe({ probe }: { probe: Connection['last_probe'] }): ReactNode {
  const { state, word } = shownAs(probe);
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <Status state={state}>{word}</Status>
      <span className="text-muted">
        {probe.message} Checked <Time at={probe.probed_at} />.
      </span>
    </p>
  );
}
