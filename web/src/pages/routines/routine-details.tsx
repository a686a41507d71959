import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { queries } from '../../data/queries.ts';
import { type Routine, type RoutineRun, refreshRoutines, runsQuery } from '../../data/routines.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Failure } from '../../ui/failure.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { type State, Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { RoutineForm } from './routine-form.tsx';

const PAUSED: Readonly<Record<NonNullable<Routine['paused_reason']>, string>> = {
  failing: 'It was paused, because three of its runs in a row have failed.',
  right_ended:
    'It was paused, because whom it acts for may begin tasks here no more. Change on behalf of whom it acts, then resume it.',
};

/** One routine: what it does, what can be done with it, and what came of its runs. */
export function RoutineDetails({
  project,
  routine,
  mayManage,
  onToken,
}: {
  project: string;
  routine: Routine;
  mayManage: boolean;
  onToken: (token: string | undefined) => void;
}): ReactNode {
  const { id, name, enabled, starts_by, paused_reason, next_at } = routine;
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete'>();
  const [failure, setFailure] = useState<unknown>();
  const close = () => setOpen(undefined);
  const navigate = useNavigate();
  const at = { project_id: project, routine_id: id };
  return (
    <Section
      title={name}
      actions={
        mayManage && (
          <span className="flex flex-wrap gap-2">
            <ActButton
              onFailure={setFailure}
              act={async () => {
                await guildhall.post('/api/projects/{project_id}/routines/{routine_id}/run', at);
                await refreshRoutines(project);
              }}
            >
              Run now
            </ActButton>
            <ActButton
              onFailure={setFailure}
              act={async () => {
                await guildhall.put('/api/projects/{project_id}/routines/{routine_id}', {
                  ...at,
                  body: { enabled: !enabled },
                });
                await refreshRoutines(project);
              }}
            >
              {enabled ? 'Pause' : 'Resume'}
            </ActButton>
            <Button onClick={() => setOpen('edit')}>Change</Button>
            {starts_by === 'call' && (
              <Button onClick={() => setOpen('rotate')}>Replace the token</Button>
            )}
            <Button look="danger" onClick={() => setOpen('delete')}>
              Delete
            </Button>
          </span>
        )
      }
    >
      {failure !== undefined && <Failure error={failure} />}
      {paused_reason !== undefined && (
        <p className="max-w-prose text-wrong">{PAUSED[paused_reason]}</p>
      )}
      <p className="max-w-prose text-muted">
        It acts for <span dir="auto">{routine.on_behalf_of_name}</span>
        {next_at !== undefined && (
          <>
            , next <Time at={next_at} />
          </>
        )}
        .
      </p>
      <p
        dir="auto"
        className="max-w-prose rounded-box bg-raised p-3 break-words whitespace-pre-wrap"
      >
        {routine.message}
      </p>
      <Runs project={project} routine={id} />
      {open === 'edit' && (
        <RoutineForm project={project} routine={routine} onSaved={close} onClose={close} />
      )}
      {open === 'rotate' && (
        <Confirm
          title="Replace the token?"
          submit="Replace the token"
          onClose={close}
          act={async () => {
            const made = await guildhall.post(
              '/api/projects/{project_id}/routines/{routine_id}/rotate-token',
              at,
            );
            onToken(made.token);
          }}
        >
          <p>The present token calls nothing from now on.</p>
        </Confirm>
      )}
      {open === 'delete' && (
        <Confirm
          title="Delete this routine?"
          submit="Delete the routine"
          onClose={close}
          act={async () => {
            await guildhall.delete('/api/projects/{project_id}/routines/{routine_id}', at);
            void navigate({ to: '.', search: {}, resetScroll: false });
            // Its runs may still be shown for a moment, and would be read again.
            queries.removeQueries({ queryKey: runsQuery(project, id).queryKey });
            await refreshRoutines(project);
          }}
        >
          <p>
            <strong dir="auto">{name}</strong> begins nothing more. The tasks that it has begun
            stay.
          </p>
        </Confirm>
      )}
    </Section>
  );
}

const STATES: Readonly<Record<RoutineRun['state'], State>> = {
  waiting: 'waiting',
  begun: 'working',
  done: 'done',
  skipped: 'idle',
  failed: 'wrong',
};
const REASONS: Readonly<Record<string, string>> = {
  too_many_this_hour: 'As many as may have begun in this hour.',
  too_many_at_once: 'As many as may were at work.',
  paused: 'The routine was paused.',
  project_archived: 'The project is archived.',
  right_ended: 'Whom it acts for may begin tasks here no more.',
  model_not_offered: 'This server does not offer its model.',
  message_empty: 'Its message was empty, because its fields were.',
  task_failed: 'The task has failed.',
  internal_error: 'The server has failed: its log says why.',
};
const STARTED: Readonly<Record<RoutineRun['started_by'], string>> = {
  schedule: 'By its schedule',
  call: 'By a call',
  label: 'By a label',
  mention: 'By a comment',
  person: 'By a person',
};

function Runs({ project, routine }: { project: string; routine: string }): ReactNode {
  const query = useInfiniteQuery(runsQuery(project, routine));
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data && rows.length === 0 && <Empty>It has not run yet.</Empty>}
      {rows.length > 0 && (
        <Table
          label="Runs"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              heading: 'Run',
              cell: ({ started_by, created_at }) => (
                <>
                  {STARTED[started_by]}
                  <span className="block text-xs text-muted">
                    <Time at={created_at} />
                  </span>
                </>
              ),
            },
            {
              heading: 'Outcome',
              cell: ({ state, reason, task_id }) => (
                <div className="flex flex-col items-start gap-1">
                  <Status state={STATES[state]}>{state}</Status>
                  {reason !== undefined && (
                    <span className="text-xs text-muted">{REASONS[reason] ?? reason}</span>
                  )}
                  {task_id !== undefined && (
                    <Link
                      to="/projects/$project/tasks/$task"
                      params={{ project, task: task_id }}
                      className="text-link hover:underline"
                    >
                      See the task
                    </Link>
                  )}
                </div>
              ),
            },
          ]}
        />
      )}
      <More list={query} />
    </>
  );
}
