import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { projectQuery } from '../../data/project.ts';
import { type Routine, routinesQuery } from '../../data/routines.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { inWords } from './in-words.ts';
import { RoutineDetails } from './routine-details.tsx';
import { RoutineForm, START_NAMES } from './routine-form.tsx';
import { ShownToken } from './shown-token.tsx';

/** The routines of a project; the address says which one is open. */
export function Routines(): ReactNode {
  const { project } = useParams({ from: '/signed-in/projects/$project' });
  const { routine: chosen } = useSearch({ strict: false });
  const query = useQuery(routinesQuery(project));
  const may = useQuery(projectQuery(project)).data?.available_actions.includes('create_routine');
  const [adding, setAdding] = useState(false);
  const [token, setToken] = useState<string>();
  const navigate = useNavigate();
  const rows = query.data ?? [];
  const open = rows.find(({ id }) => id === chosen);
  return (
    <>
      <Section
        title="Routines"
        actions={
          may && (
            <Button icon="plus" onClick={() => setAdding(true)}>
              Add a routine
            </Button>
          )
        }
      >
        <p className="max-w-prose text-muted">
          A routine begins a task with the same message again and again: by a schedule, when a
          program calls it, or when something happens to an issue on GitHub.
        </p>
        {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
        {query.data && rows.length === 0 && <Empty>No routines yet.</Empty>}
        {rows.length > 0 && (
          <Table
            label="Routines"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                heading: 'Name',
                cell: (routine) => (
                  <>
                    <Link
                      to="."
                      search={{ routine: routine.id }}
                      resetScroll={false}
                      dir="auto"
                      className="font-medium break-words text-link hover:underline"
                    >
                      {routine.name}
                    </Link>
                    <span className="block text-xs text-muted">{startOf(routine)}</span>
                  </>
                ),
              },
              {
                heading: 'Next',
                wide: true,
                cell: ({ next_at }) => (next_at ? <Time at={next_at} /> : ''),
              },
              { heading: 'State', cell: (routine) => <StateOf routine={routine} /> },
            ]}
          />
        )}
      </Section>
      {chosen !== undefined && query.data && !query.isFetching && open === undefined && (
        <Failure error={undefined} says="This is not there any more, or you may not open it." />
      )}
      {open && (
        <RoutineDetails
          key={open.id}
          project={project}
          routine={open}
          mayManage={may ?? false}
          onToken={setToken}
        />
      )}
      {adding && (
        <RoutineForm
          project={project}
          onClose={() => setAdding(false)}
          onSaved={(id, made) => {
            setAdding(false);
            setToken(made);
            void navigate({ to: '.', search: { routine: id }, resetScroll: false });
          }}
        />
      )}
      {token !== undefined && (
        <ShownToken
          token={token}
          path={open?.call_path ?? ''}
          onClose={() => setToken(undefined)}
        />
      )}
    </>
  );
}

/** What starts a routine, in words. */
const startOf = ({ starts_by, schedule, time_zone, label }: Routine): string =>
  schedule !== undefined && time_zone !== undefined
    ? inWords(schedule, time_zone)
    : label === undefined
      ? START_NAMES[starts_by]
      : `The label “${label}” on an issue on GitHub`;

function StateOf({ routine: { enabled, paused_reason } }: { routine: Routine }): ReactNode {
  if (enabled) return <Status state="done">on</Status>;
  return <Status state={paused_reason === undefined ? 'idle' : 'wrong'}>paused</Status>;
}
