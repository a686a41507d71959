import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { configQuery } from '../../data/config.ts';
import { instanceQuery, versionOf } from '../../data/erp.ts';
import { projectQuery } from '../../data/project.ts';
import { refreshTask } from '../../data/task.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { type State, Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { InstanceSays } from './instance-says.tsx';
import type { Task } from './states.ts';

type Instance = components['schemas']['OdooInstance'];

const STATES: Record<Instance['status'], { shown: State; word: string }> = {
  starting: { shown: 'working', word: 'Starting' },
  running: { shown: 'done', word: 'Ready' },
  stopping: { shown: 'idle', word: 'Being removed' },
  failed: { shown: 'wrong', word: 'Failed' },
};

/** What its database began with. */
const DATA: Record<NonNullable<Instance['data']>, string> = {
  empty: ', which began empty',
  demo: ', which began with demo data',
  dump: ', which began as a neutralised copy of the dump of the project',
};

/** Nothing was wrong with it, but no one pays it. */
const ENDED = { shown: 'waiting', word: 'Ended' } as const;

const PATH = '/api/tasks/{task_id}/odoo-instance';

/** The throwaway Odoo of a task, in which its agent tries out what it builds. */
export function ErpInstance({ task }: { task: Task }): ReactNode {
  const { id: task_id, available_actions: actions } = task;
  const can = (action: string) => actions.includes(action);
  const instance = useQuery({
    ...instanceQuery(task_id),
    enabled: can('get_odoo_instance'),
    // An event of the task says what becomes of it, where a stream or a worker is there to tell.
    refetchInterval: ({ state }) =>
      task.archived || state.data?.status === 'starting' || state.data?.status === 'stopping'
        ? 1_000
        : 10_000,
  });
  useRefreshWhenChanged(task_id, instance.data?.status);
  const config = useQuery(configQuery);
  const [failure, setFailure] = useState<unknown>();
  const [stopping, setStopping] = useState(false);
  const [resetting, setResetting] = useState(false);
  const shown = can('get_odoo_instance') ? (instance.data ?? undefined) : undefined;
  async function start(): Promise<void> {
    await guildhall.post(PATH, { task_id });
    await refreshTask(task_id);
  }
  async function restart(): Promise<void> {
    await guildhall.post(`${PATH}/restart`, { task_id });
    await refreshTask(task_id);
  }
  const starts = can('start_odoo_instance');
  return (
    <Section title="Throwaway Odoo">
      {instance.error && <Failure error={instance.error} retry={() => void instance.refetch()} />}
      {shown ? (
        <Shown instance={shown} entered={isEntered(shown, actions)} />
      ) : (
        <None task={task} starts={starts} />
      )}
      {config.data?.features.erp_sandbox && (starts || shown) && (
        <p className="text-muted">
          For trying out, this server runs a fake Odoo: a few records, and no modules.
        </p>
      )}
      {failure !== undefined && <Failure error={failure} />}
      <div className="flex flex-wrap gap-2">
        {shown && can('open_odoo_instance') && (
          <ActButton act={() => open(task_id)} onFailure={setFailure}>
            Open Odoo
          </ActButton>
        )}
        {starts && (
          <ActButton act={start} onFailure={setFailure}>
            {wordOfStart(shown)}
          </ActButton>
        )}
        {shown && can('restart_odoo_instance') && (
          <ActButton act={restart} onFailure={setFailure}>
            Restart it
          </ActButton>
        )}
        {shown && can('reset_odoo_instance') && (
          <Button onClick={() => setResetting(true)}>Reset it</Button>
        )}
        {shown && shown.status !== 'stopping' && can('stop_odoo_instance') && (
          <Button onClick={() => setStopping(true)}>
            {shown.status === 'failed' ? 'Remove it' : 'Stop it'}
          </Button>
        )}
      </div>
      {shown && <InstanceSays task={task} />}
      {resetting && <Reset taskId={task_id} onClose={() => setResetting(false)} />}
      {stopping && <Stop taskId={task_id} onClose={() => setStopping(false)} />}
    </Section>
  );
}

/** What may be done to the instance comes with the task, which has to follow it. */
function useRefreshWhenChanged(task_id: string, status: Instance['status'] | undefined): void {
  const before = useRef(status);
  useEffect(() => {
    const changed = before.current !== undefined && before.current !== status;
    before.current = status;
    if (changed) void refreshTask(task_id);
  }, [task_id, status]);
}

/**
 * Whether people get in by a link that signs in alone, so that `url` answers 401. Who may restart an
 * instance may open it where there is an entry. Whom the actions do not tell sees it by the address: an
 * entry has one that begins with the id.
 */
function isEntered({ id, url }: Instance, actions: Task['available_actions']): boolean {
  if (actions.includes('open_odoo_instance')) return true;
  if (actions.includes('restart_odoo_instance')) return false;
  return url !== undefined && new URL(url).hostname.startsWith(`${id}.`);
}

function wordOfStart(instance: Instance | undefined): string {
  if (instance === undefined) return 'Start an instance';
  return instance.status === 'failed' ? 'Start another one' : 'Keep it longer';
}

function Shown({
  instance,
  entered,
}: {
  instance: Instance;
  /** Whether people get in by a link that signs in alone. */
  entered: boolean;
}): ReactNode {
  const { status, reason, reason_code, url, database, data, ready_at, expires_at } = instance;
  const { shown, word } = reason_code === undefined ? STATES[status] : ENDED;
  const lives = status === 'starting' || status === 'running';
  return (
    <div className="flex flex-col gap-1.5 rounded-box border border-line p-3">
      <p role="status" className="flex flex-wrap items-center gap-2">
        <Status state={shown}>{word}</Status>
        <span className="text-muted">
          {versionOf(instance)}
          {status === 'running' && ready_at !== undefined && (
            <>
              , since <Time at={ready_at} />
            </>
          )}
        </span>
      </p>
      {reason !== undefined && (
        <p className={status === 'failed' && reason_code === undefined ? 'text-wrong' : ''}>
          {reason}
        </p>
      )}
      {url !== undefined && !entered && (
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          className="break-all text-link underline"
        >
          {url}
        </a>
      )}
      <Code instance={instance} />
      <p className="text-muted">
        Database <code className="font-mono text-xs">{database}</code>
        {data !== undefined && DATA[data]}
      </p>
      {lives && (
        <p className="text-muted">
          It ends <Time at={expires_at} /> with its data, unless it is used before.
        </p>
      )}
    </div>
  );
}

/** The window is opened at once: after an answer, browsers refuse to open one. */
async function open(task_id: string): Promise<void> {
  const opened = window.open('', '_blank');
  try {
    const { url } = await guildhall.post(`${PATH}/open`, { task_id });
    if (opened === null) return window.location.assign(url);
    opened.opener = null;
    opened.location.replace(url);
  } catch (error) {
    opened?.close();
    throw error;
  }
}

/** Which commit of the branch it runs, and why not the last one. */
function Code({ instance }: { instance: Instance }): ReactNode {
  const { commit_sha, broken_sha, problem } = instance;
  const short = (sha: string) => <code className="font-mono text-xs">{sha.slice(0, 12)}</code>;
  return (
    <>
      {commit_sha !== undefined && (
        <p className="text-muted">Runs the modules of commit {short(commit_sha)}</p>
      )}
      {problem !== undefined && (
        <>
          <p className="text-wrong">
            {broken_sha === undefined ? (
              'It does not run the modules of the branch:'
            ) : (
              <>The modules of commit {short(broken_sha)} could not be installed:</>
            )}
          </p>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard.
            tabIndex={0}
            className="max-h-60 overflow-auto whitespace-pre-wrap break-words rounded-box border border-line p-2 font-mono text-xs"
          >
            {problem}
          </pre>
        </>
      )}
    </>
  );
}

/** Why there is none, and what would start one. */
function None({ task, starts }: { task: Task; starts: boolean }): ReactNode {
  const config = useQuery(configQuery);
  const project = useQuery(projectQuery(task.project_id));
  if (starts)
    return (
      <Empty>
        The task has no Odoo of its own. Start one, and it runs the modules of the branch as the
        agent commits them. It ends when it is not used for a while, and with the task.
      </Empty>
    );
  if (config.data?.features.erp_instances === false)
    return (
      <Empty>
        This server runs no throwaway instances of Odoo. Its operator can set them up with
        ERP_INSTANCES; agents can use the connections above meanwhile.
      </Empty>
    );
  if (task.archived)
    return (
      <Empty>
        The task has no Odoo of its own: it is archived, which ends one with its data. Another one
        can be started once the task is out of the archive.
      </Empty>
    );
  const { erp_version, erp_edition } = project.data ?? {};
  return (
    <Empty>
      The task has no Odoo of its own.
      {task.available_actions.includes('create_message') &&
        erp_edition !== undefined &&
        ` This server runs no instances of ${versionOf({ erp_version, edition: erp_edition })}.`}
    </Empty>
  );
}

function Reset({ taskId, onClose }: { taskId: string; onClose: () => void }): ReactNode {
  return (
    <Confirm
      title="Reset this Odoo?"
      submit="Delete its data and start anew"
      act={async () => {
        await guildhall.post(`${PATH}/reset`, { task_id: taskId });
        await refreshTask(taskId);
      }}
      onClose={onClose}
    >
      <p>Its database and everything in it is deleted. It starts with a new one.</p>
    </Confirm>
  );
}

function Stop({ taskId, onClose }: { taskId: string; onClose: () => void }): ReactNode {
  return (
    <Confirm
      title="Stop this Odoo?"
      submit="Stop and delete it"
      act={async () => {
        await guildhall.delete(PATH, { task_id: taskId });
        await refreshTask(taskId);
      }}
      onClose={onClose}
    >
      <p>Its database and everything in it is deleted. The code of the task stays.</p>
    </Confirm>
  );
}
