import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useUsesErp } from '../../data/erp.ts';
import { projectQuery } from '../../data/project.ts';
import { planQuery, refreshTask, taskQuery } from '../../data/task.ts';
import { useTaskEvents } from '../../data/task-events.ts';
import { Loading } from '../../shell/loading.tsx';
import { Boundary } from '../../ui/boundary.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { lazily } from '../../ui/lazily.ts';
import { Money } from '../../ui/money.tsx';
import { Page } from '../../ui/page.tsx';
import { useTitle } from '../../ui/title.ts';
import { Archived } from './archived.tsx';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { useLeadToPanel } from './lead-to-panel.ts';
import { fetchForms } from './on-demand.tsx';
import { type PanelName, VIEW_NAMES, type ViewName } from './panel-names.ts';
import { PlanPanel } from './plan-panel.tsx';
import { Questions } from './questions.tsx';
import { shownState, type Task } from './states.ts';
import { TaskMenu } from './task-menu.tsx';
import { useIsWide } from './use-wide.ts';
import { WaitBar } from './wait-bar.tsx';
import { PeopleOfTask } from './who.tsx';

// Who reads a plan or a conversation needs no view of code, nor the other documents.
const CodePanel = lazily(async () => (await import('./code/code-panel.tsx')).CodePanel);
const ErpPanel = lazily(async () => (await import('./erp-panel.tsx')).ErpPanel);
const CostPanel = lazily(async () => (await import('./panels.ts')).CostPanel);
const FilesPanel = lazily(async () => (await import('./panels.ts')).FilesPanel);
const PodPanel = lazily(async () => (await import('./panels.ts')).PodPanel);
const PullRequestPanel = lazily(async () => (await import('./panels.ts')).PullRequestPanel);

const PANELS: Record<PanelName, { name: string; shown: ComponentType<{ task: Task }> }> = {
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
  if (task.data === undefined) return <Loading />;
  return <Opened key={taskId} task={task.data} refusal={insteadOf(task)} />;
}

/** With a refusal, the task was deleted or the right has ended since: nothing can be done there. */
function Opened({ task, refusal }: { task: Task; refusal: Error | null }): ReactNode {
  const wide = useIsWide();
  const { view, panel } = useView(task, wide);
  const events = useTaskEvents(task.id);
  useEffect(() => {
    if (events.ready) fetchForms();
  }, [events.ready]);
  useLeadToPanel(task, wide ? '#document' : '#task');
  const documentShown = wide || view !== 'chat';
  const seen = useSeenVersion(task, documentShown && panel === 'plan');
  // A throwaway instance needs no connection, but an operator who offers them.
  const connected = useUsesErp(task.project_id);
  const usesErp =
    connected || task.available_actions.some((action) => /odoo_instance$/.test(action));
  const names = VIEW_NAMES.filter((id) => id !== 'erp' || id === panel || usesErp);
  const merging = events.list.some(({ type }) => type === 'merge');
  const { word } = shownState(task);
  useTitle(`${word}: ${task.title}`);
  const { shown: Panel, name } = PANELS[panel];
  return (
    <PeopleOfTask task={task}>
      <div id="task" className="flex h-full flex-col">
        <Boundary what="The head of the task">
          <Head task={task} />
          {task.archived && <Archived task={task} />}
        </Boundary>
        {refusal && <Failure error={refusal} />}
        {!wide && <Views names={names} current={view} />}
        <div className="flex min-h-0 flex-1">
          <div
            className={`min-h-0 min-w-0 flex-1 flex-col ${wide || view === 'chat' ? 'flex' : 'hidden'}`}
          >
            <Boundary what="The conversation">
              <Conversation task={task} events={events} />
            </Boundary>
            <div className="max-h-1/2 shrink-0 overflow-y-auto">
              <Boundary what="What the agent asks">
                <Questions taskId={task.id} />
              </Boundary>
            </div>
            {task.available_actions.includes('create_message') && (
              <Boundary what="The message to the agent">
                <Composer task={task} />
              </Boundary>
            )}
          </div>
          {documentShown && (
            <div
              id="document"
              className="relative min-h-0 min-w-0 flex-1 overflow-y-auto bg-surface lg:border-line lg:border-l"
            >
              {wide && <Views names={names.slice(1)} current={panel} />}
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
              <section aria-label={name} tabIndex={0} className="p-4">
                <Boundary key={panel} what={`The panel ${name}`}>
                  <Suspense fallback={<Loading />}>
                    <Panel task={task} />
                  </Suspense>
                </Boundary>
              </section>
            </div>
          )}
        </div>
        {!refusal && (
          <Boundary what="What the task waits for">
            <WaitBar
              task={task}
              seen={seen}
              merging={merging}
              view={wide ? panel : view}
              asked={wide || view === 'chat'}
            />
          </Boundary>
        )}
      </div>
    </PeopleOfTask>
  );
}

/** What the address asks for; without that, what matters first, and a plan beside the conversation. */
function useView(task: Task, wide: boolean): { view: ViewName; panel: PanelName } {
  const { panel: asked } = useSearch({ from: '/signed-in/projects/$project/tasks/$task' });
  const [first] = useState<ViewName>(task.status === 'awaiting_approval' ? 'plan' : 'chat');
  const view = asked ?? (wide ? 'plan' : first);
  return { view, panel: view === 'chat' ? 'plan' : view };
}

/** The documents and, on a narrow screen, the conversation, as tabs. */
function Views({ names, current }: { names: readonly ViewName[]; current: ViewName }): ReactNode {
  return (
    <nav
      aria-label="Documents"
      className="sticky top-0 z-10 flex shrink-0 gap-1 overflow-x-auto border-b border-line bg-surface px-3"
    >
      {names.map((id) => (
        <Link
          key={id}
          from="/projects/$project/tasks/$task"
          to="."
          search={(search) => ({ ...search, panel: id })}
          replace
          aria-current={id === current ? 'page' : undefined}
          className={`border-b-2 px-1.5 py-2 whitespace-nowrap sm:px-2 ${id === current ? 'border-accent font-medium' : 'border-transparent text-muted hover:text-text'}`}
        >
          {id === 'chat' ? 'Chat' : PANELS[id].name}
        </Link>
      ))}
    </nav>
  );
}

/** Before the button of an approval is that of another version under the same pointer. */
const SEEN_AFTER = 2_000;

/**
 * The newest version of the plan that has been on the screen as the newest one, for a moment if
 * another one stood there before.
 */
function useSeenVersion(task: Task, shown: boolean): number | undefined {
  const { version } = useSearch({ from: '/signed-in/projects/$project/tasks/$task' });
  const plan = useQuery({ ...planQuery(task.id), enabled: task.plan !== undefined });
  const [seen, setSeen] = useState<number>();
  const latest = plan.data?.version;
  const current = task.plan?.version;
  // A version that a person has written is no event of the task.
  useEffect(() => {
    if (current !== undefined && latest !== undefined && current > latest)
      void refreshTask(task.id);
  }, [current, latest, task.id]);
  useEffect(() => {
    if (!shown || version !== undefined || latest === undefined) return;
    const timer = setTimeout(() => setSeen(latest), seen === undefined ? 0 : SEEN_AFTER);
    return () => clearTimeout(timer);
  }, [shown, version, latest, seen]);
  return seen;
}

function Head({ task }: { task: Task }): ReactNode {
  const project = useQuery(projectQuery(task.project_id));
  return (
    <header className="flex items-center gap-x-3 border-b border-line bg-surface px-4 py-1 sm:py-2">
      <Link
        to="/projects/$project"
        params={{ project: task.project_id }}
        dir="auto"
        className="max-w-20 shrink-0 truncate text-muted hover:underline sm:max-w-48"
      >
        {project.data?.name ?? 'Project'}
      </Link>
      <span aria-hidden="true" className="text-muted">
        /
      </span>
      <h1 dir="auto" className="min-w-0 flex-1 truncate font-semibold" title={task.title}>
        {task.title}
      </h1>
      <Link
        from="/projects/$project/tasks/$task"
        to="."
        search={(search) => ({ ...search, panel: 'cost' })}
        replace
        title="What each turn has cost"
        className="shrink-0 text-muted hover:underline"
      >
        <Money amount={task.spend.amount} />
        {task.spend.cap !== undefined && (
          <span className="hidden sm:inline">
            {' of '}
            <Money amount={task.spend.cap} />
          </span>
        )}
      </Link>
      {task.routine !== undefined && (
        <Link
          to="/projects/$project/routines"
          params={{ project: task.project_id }}
          search={{ routine: task.routine.id }}
          title={`Begun by the routine ${task.routine.name}`}
          className="hidden max-w-48 shrink-0 truncate text-muted hover:underline sm:inline"
        >
          Routine <span dir="auto">{task.routine.name}</span>
        </Link>
      )}
      {task.model !== undefined && (
        <span className="hidden max-w-40 truncate text-muted md:inline">{task.model}</span>
      )}
      <span className="hidden sm:inline">
        <CopyText text={task.id} short={8} label="Copy the id of the task" />
      </span>
      <TaskMenu task={task} />
    </header>
  );
}
