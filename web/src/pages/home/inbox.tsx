import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { inboxQuery, projectsQuery, workspacesQuery } from '../../data/lists.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Entry = components['schemas']['InboxEntry'];

const KINDS: Record<Entry['kind'], { word: string; act: string }> = {
  plan_approval: { word: 'Plan to approve', act: 'Read the plan' },
  question: { word: 'Question', act: 'Answer' },
  funds: { word: 'Out of funds', act: 'See the balance' },
  invitation: { word: 'Invitation', act: 'See' },
  failed_checks: { word: 'Checks failed', act: 'See the checks' },
};

/** What waits for the person, newest first, each with the way to where it is acted upon. */
export function Inbox(): ReactNode {
  const inbox = useQuery(inboxQuery);
  const place = usePlaces();
  // Invitations have a list of their own, with the buttons that answer them.
  const entries = inbox.data?.filter(({ kind }) => kind !== 'invitation');
  return (
    <Section title="Waits for you">
      {inbox.error && <Failure error={inbox.error} retry={() => void inbox.refetch()} />}
      {entries?.length === 0 && (
        <Empty>
          Nothing waits for you. When an agent has a plan or a question, it stands here.
        </Empty>
      )}
      {entries !== undefined && entries.length > 0 && (
        <Table
          label="What waits for you"
          rows={entries}
          keyOf={(entry) => `${entry.kind} ${entry.task_id ?? entry.title} ${entry.since}`}
          columns={[
            {
              heading: 'What',
              cell: (entry) => (
                <div className="flex min-w-0 flex-col items-start gap-0.5">
                  <Link {...whereTo(entry)} dir="auto" className="font-medium hover:underline">
                    {entry.title}
                  </Link>
                  <span className="flex flex-wrap items-center gap-2 text-xs text-muted">
                    <Status state={entry.kind === 'failed_checks' ? 'wrong' : 'waiting'}>
                      {wordsOf(entry).word}
                    </Status>
                    <span dir="auto">{place(entry)}</span>
                  </span>
                </div>
              ),
            },
            { heading: 'Since', wide: true, cell: ({ since }) => <Time at={since} /> },
            {
              heading: '',
              align: 'right',
              cell: (entry) => (
                <ButtonLink {...whereTo(entry)} aria-label={`${act(entry)}: ${entry.title}`}>
                  {act(entry)}
                </ButtonLink>
              ),
            },
          ]}
        />
      )}
    </Section>
  );
}

/** A task waits for funds or for a limit, which its page tells apart; a balance waits for funds. */
const wordsOf = ({ kind, task_id }: Entry): { word: string; act: string } =>
  kind === 'funds' && task_id !== undefined
    ? { word: 'Waits for funds or a limit', act: 'See the task' }
    : KINDS[kind];

const act = (entry: Entry): string => wordsOf(entry).act;

/** Where an entry is acted upon. */
function whereTo({ kind, task_id, project_id, organization_id }: Entry): LinkProps {
  if (task_id !== undefined && project_id !== undefined)
    return {
      to: '/projects/$project/tasks/$task',
      params: { project: project_id, task: task_id },
      search: {
        panel:
          kind === 'plan_approval' ? 'plan' : kind === 'failed_checks' ? 'pull-request' : undefined,
      },
    };
  return organization_id === undefined
    ? { to: '/account' }
    : { to: '/workspaces/$org', params: { org: organization_id } };
}

/** The names of an entry's workspace and project. */
function usePlaces(): (entry: Entry) => string {
  const workspaces = useQuery(workspacesQuery);
  const projects = useQuery(projectsQuery);
  return ({ organization_id, project_id }) =>
    [
      workspaces.data?.find(({ id }) => id === organization_id)?.name,
      projects.data?.find(({ id }) => id === project_id)?.name,
    ]
      .filter((name) => name !== undefined)
      .join(' / ');
}
