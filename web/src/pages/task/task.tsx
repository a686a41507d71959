import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useUsesErp } from '../../data/erp.ts';
import { projectQuery } from '../../data/project.ts';
import { planQuery, taskQuery } from '../../data/task.ts';
import { useTaskEvents } from '../../data/task-events.ts';
import { Loading } from '../../shell/loading.tsx';
import { Boundary } from '../../ui/boundary.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Money } from '../../ui/money.tsx';
import { Page } from '../../ui/page.tsx';
import { useTitle } from '../../ui/title.ts';
import { CodePanel } from './code-panel.tsx';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { CostPanel } from './cost-panel.tsx';
import { ErpPanel } from './erp-panel.tsx';
import { FilesPanel } from './files-panel.tsx';
import { useLeadToPanel } from './lead-to-panel.ts';
import { PANEL_NAMES, type PanelName } from './panel-names.ts';
import { PlanPanel } from './plan-panel.tsx';
import { PodPanel } from './pod-panel.tsx';
import { PullRequestPanel } from './pull-request-panel.tsx';
import { Questions } from './questions.tsx';
import { shownState, type Task } from './states.ts';
import { TaskMenu } from './task-menu.tsx';
import { WaitBar } from './wait-bar.tsx';

const PANELS: Record<
  PanelName,
  { name: string; shown: (props: { task: Task; merging: boolean }) => ReactNode }
> = {
  plan: { name: 'Plan', shown: PlanPanel },
  code: { name: 'Code', shown: CodePanel },
  'pull-request': { name: 'Pull request', shown: PullRequestPanel },
  files: { name: 'Files', shown: FilesPanel },
  erp: { name: 'ERP', shown: ErpPanel },
  pod: { name: 'Pod', shown: PodPanel },
  cost: { name: 'Cost', shown: CostPanel },
};

/** One task: the conversation, a document beside it, and what it waits for below. */
export function TaskPage(): ReactNode {
  const { task: taskId } = useParams({ from: '/signed-in/projects/$project/tasks/$task' });
  const task = useQuery(taskQuery(taskId));
  if (task.error && task.data === undefined)
    return (
      <Page title="Task">
        <Failure error={task.error} retry={() => void task.refetch()} />
      </Page>
    );
  return task.data === undefined ? <Loading /> : <Opened key={taskId} task={task.data} />;
}

const WORKS = new Set(['queued', 'planning', 'building', 'awaiting_answer']);

function Opened({ task }: { task: Task }): ReactNode {
  const { panel = 'plan' } = useSearch({ from: '/signed-in/projects/$project/tasks/$task' });
  const events = useTaskEvents(task.id);
  useLeadToPanel(task);
  const seen = useSeenVersion(task, panel);
  // A throwaway instance needs no connection, but an operator who offers them.
  const connected = useUsesErp(task.project_id);
  const usesErp =
    connected || task.available_actions.some((action) => /odoo_instance$/.test(action));
  const merging = events.list.some(({ type }) => type === 'merge');
  const { word } = shownState(task);
  useTitle(`${word}: ${task.title}`);
  const { shown: Panel, name } = PANELS[panel];
  return (
    <div className="flex h-full flex-col">
      <Boundary what="The head of the task">
        <Head task={task} />
      </Boundary>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto lg:flex-row lg:overflow-hidden">
        <div className="flex min-w-0 flex-1 flex-col lg:min-h-0">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
          <div tabIndex={0} className="min-h-0 flex-1 lg:overflow-y-auto">
            <Boundary what="The conversation">
              <Conversation taskId={task.id} events={events} />
            </Boundary>
          </div>
          <Boundary what="What the agent asks">
            <Questions taskId={task.id} />
          </Boundary>
          {task.available_actions.includes('create_message') && (
            <Composer taskId={task.id} working={WORKS.has(task.status)} />
          )}
        </div>
        <div className="min-w-0 flex-1 border-line border-t bg-surface lg:min-h-0 lg:overflow-y-auto lg:border-t-0 lg:border-l">
          <nav
            aria-label="Documents"
            className="sticky top-0 z-10 flex gap-1 overflow-x-auto border-b border-line bg-surface px-3"
          >
            {PANEL_NAMES.filter((id) => id !== 'erp' || id === panel || usesErp).map((id) => (
              <Link
                key={id}
                to="."
                search={(search) => ({ ...search, panel: id })}
                replace
                aria-current={id === panel ? 'page' : undefined}
                className={`border-b-2 px-1.5 py-2 whitespace-nowrap sm:px-2 ${id === panel ? 'border-accent font-medium' : 'border-transparent text-muted hover:text-text'}`}
              >
                {PANELS[id].name}
              </Link>
            ))}
          </nav>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
          <section aria-label={name} tabIndex={0} className="p-4">
            <Boundary key={panel} what={`The panel ${name}`}>
              <Panel task={task} merging={merging} />
            </Boundary>
          </section>
        </div>
      </div>
      <Boundary what="What the task waits for">
        <WaitBar task={task} seen={seen} merging={merging} />
      </Boundary>
    </div>
  );
}

/** The newest version of the plan that has been on the screen as the newest one. */
function useSeenVersion(task: Task, panel: PanelName): number | undefined {
  const { version } = useSearch({ from: '/signed-in/projects/$project/tasks/$task' });
  const plan = useQuery({ ...planQuery(task.id), enabled: task.plan !== undefined });
  const [seen, setSeen] = useState<number>();
  const latest = plan.data?.version;
  useEffect(() => {
    if (panel === 'plan' && version === undefined && latest !== undefined) setSeen(latest);
  }, [panel, version, latest]);
  return seen;
}

function Head({ task }: { task: Task }): ReactNode {
  const project = useQuery(projectQuery(task.project_id));
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-2">
      <Link
        to="/projects/$project"
        params={{ project: task.project_id }}
        dir="auto"
        className="max-w-48 truncate text-muted hover:underline"
      >
        {project.data?.name ?? 'Project'}
      </Link>
      <span aria-hidden="true" className="hidden text-muted sm:inline">
        /
      </span>
      <h1
        dir="auto"
        className="w-full truncate font-semibold sm:w-auto sm:min-w-0 sm:flex-1"
        title={task.title}
      >
        {task.title}
      </h1>
      <Link
        to="."
        search={(search) => ({ ...search, panel: 'cost' })}
        replace
        title="What each turn has cost"
        className="text-muted hover:underline"
      >
        <Money amount={task.spend.amount} />
        {task.spend.cap !== undefined && (
          <>
            {' of '}
            <Money amount={task.spend.cap} />
          </>
        )}
      </Link>
      {task.model !== undefined && <span className="text-muted">{task.model}</span>}
      <CopyText text={task.id} short={8} label="Copy the id of the task" />
      <TaskMenu task={task} />
    </header>
  );
}
