import type { components } from '@guildhall/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { bringBack, setAside, snoozes } from '../../data/inbox.ts';
import { inboxQuery, projectsQuery, setAsideQuery, workspacesQuery } from '../../data/lists.ts';
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { ActsMenu } from '../../ui/menu.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { type State, Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Entry = components['schemas']['InboxEntry'];

/** How many entries of a project are shown before the person asks for the others. */
const SHOWN = 5;

const KINDS: Record<Entry['kind'], { word: string; act: string; state: State }> = {
  plan_approval: { word: 'Plan to approve', act: 'Read the plan', state: 'waiting' },
  question: { word: 'Question', act: 'Answer', state: 'waiting' },
  funds: { word: 'Out of funds', act: 'See the balance', state: 'waiting' },
  invitation: { word: 'Invitation', act: 'See', state: 'waiting' },
  failed_checks: { word: 'Checks failed', act: 'See the checks', state: 'wrong' },
  ready: { word: 'Ready', act: 'See the result', state: 'done' },
  failed: { word: 'Failed', act: 'See why', state: 'wrong' },
};

const keyOf = ({ kind, task_id, title, since }: Entry): string =>
  `${kind} ${task_id ?? title} ${since}`;

/** What waits for the person, by project, each with the way to where it is acted upon. */
export function Inbox({ aside }: { aside: boolean }): ReactNode {
  const inbox = useInfiniteQuery(aside ? setAsideQuery : inboxQuery);
  const groups = useGroups(inbox.data?.pages);
  const [failure, setFailure] = useState<unknown>();
  const [last, setLast] = useState<Entry>();

  async function act(entry: Entry, run: (entry: Entry) => Promise<unknown>): Promise<void> {
    setFailure(undefined);
    const row = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(keyOf(entry))}"]`);
    const near = (row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector('a');
    try {
      await run(entry);
      setLast(aside ? undefined : entry);
      // Its own button is gone with its row.
      near?.focus();
    } catch (error) {
      setFailure(error);
    }
  }
  return (
    <Section
      title={aside ? 'Set aside' : 'Waits for you'}
      actions={
        <Link
          to="/"
          search={aside ? {} : { inbox: 'set-aside' }}
          className="text-link hover:underline"
        >
          {aside ? 'Show what waits for you' : 'Show what is set aside'}
        </Link>
      }
    >
      {inbox.error && !inbox.isFetchNextPageError && (
        <Failure error={inbox.error} retry={() => void inbox.refetch()} />
      )}
      {failure !== undefined && <Failure error={failure} />}
      {last !== undefined && (
        <p role="status" className="flex flex-wrap items-center gap-2">
          <span>
            Set aside: <span dir="auto">{last.title}</span>
          </span>
          <Button
            look="quiet"
            onClick={() => void act(last, bringBack).then(() => setLast(undefined))}
          >
            Undo
          </Button>
        </p>
      )}
      {groups?.length === 0 &&
        (aside ? (
          <Empty>Nothing that still waits for you is set aside.</Empty>
        ) : (
          <Empty>
            Nothing waits for you. When an agent has a plan, a question or a result, it stands here.
          </Empty>
        ))}
      {groups?.map(({ key, ...group }) => (
        <Group key={key} aside={aside} act={act} {...group} />
      ))}
      <More list={inbox} />
    </Section>
  );
}

interface Grouped {
  key: string;
  /** The project, or the workspace of what is in none. */
  place: string;
  to: LinkProps | undefined;
  entries: Entry[];
}

type Act = (entry: Entry, run: (entry: Entry) => Promise<unknown>) => Promise<void>;

function Group({
  place,
  to,
  entries,
  aside,
  act,
}: Omit<Grouped, 'key'> & { aside: boolean; act: Act }): ReactNode {
  const [all, setAll] = useState(false);
  const columns = useMemo(() => columnsOf(aside, act), [aside, act]);
  const shown = all ? entries : entries.slice(0, SHOWN);
  return (
    <div className="flex flex-col gap-1.5">
      <h3 dir="auto" className="truncate text-xs font-medium text-muted">
        {to === undefined ? (
          place
        ) : (
          <Link {...to} className="hover:underline">
            {place}
          </Link>
        )}
      </h3>
      <Table label={`What waits for you: ${place}`} rows={shown} keyOf={keyOf} columns={columns} />
      {shown.length < entries.length && (
        <div>
          <Button
            look="quiet"
            aria-label={`Show ${entries.length - shown.length} more: ${place}`}
            onClick={() => setAll(true)}
          >
            Show {entries.length - shown.length} more
          </Button>
        </div>
      )}
    </div>
  );
}

const columnsOf = (aside: boolean, act: Act): Column<Entry>[] => [
  {
    heading: 'What',
    cell: (entry) => (
      <div className="flex min-w-0 flex-col items-start gap-0.5">
        <Link
          {...whereTo(entry)}
          dir="auto"
          title={entry.title}
          className="line-clamp-2 font-medium hover:underline"
        >
          {entry.title}
        </Link>
        {/* On a phone the act beside it leaves no room for one line. */}
        <span className="max-sm:[&>span]:whitespace-normal">
          <Status state={wordsOf(entry).state}>{wordsOf(entry).word}</Status>
        </span>
      </div>
    ),
  },
  aside
    ? {
        heading: 'Comes back',
        wide: true,
        cell: ({ snoozed_until }) =>
          snoozed_until === undefined ? 'When something new happens' : <Time at={snoozed_until} />,
      }
    : { heading: 'Since', wide: true, cell: ({ since }) => <Time at={since} /> },
  {
    heading: '',
    align: 'right',
    cell: (entry) => (
      <div className="flex items-center justify-end gap-1">
        <ButtonLink {...whereTo(entry)} aria-label={`${wordsOf(entry).act}: ${entry.title}`}>
          {wordsOf(entry).act}
        </ButtonLink>
        {entry.task_id !== undefined &&
          (aside ? (
            <Button
              aria-label={`Bring back: ${entry.title}`}
              onClick={() => void act(entry, bringBack)}
            >
              Bring back
            </Button>
          ) : (
            <>
              <IconButton
                icon="check"
                label={`Done: ${entry.title}`}
                className="max-sm:hidden"
                onClick={() => void act(entry, setAside)}
              />
              <ActsMenu
                label={`Set aside: ${entry.title}`}
                acts={[
                  { label: 'Done', onSelect: () => void act(entry, setAside) },
                  ...snoozes().map(({ label, until }) => ({
                    label,
                    onSelect: () => void act(entry, (it) => setAside(it, until)),
                  })),
                ]}
              />
            </>
          ))}
      </div>
    ),
  },
];

/** A task waits for funds or for a limit, which its page tells apart; a balance waits for funds. */
const wordsOf = ({ kind, task_id }: Entry): (typeof KINDS)['funds'] =>
  kind === 'funds' && task_id !== undefined
    ? { word: 'Waits for funds or a limit', act: 'See the task', state: 'waiting' }
    : KINDS[kind];

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
    ? { to: '/account/billing' }
    : { to: '/workspaces/$org/billing', params: { org: organization_id } };
}

/** The entries by project, in the order of their newest. Invitations have a list of their own. */
function useGroups(pages: readonly { items: Entry[] }[] | undefined): Grouped[] | undefined {
  const workspaces = useQuery(workspacesQuery).data;
  const projects = useQuery(projectsQuery).data;
  return useMemo(() => {
    if (pages === undefined) return undefined;
    const entries = pages.flatMap(({ items }) => items).filter(({ kind }) => kind !== 'invitation');
    const byPlace = Map.groupBy(
      entries,
      ({ project_id, organization_id }) => project_id ?? organization_id ?? 'own',
    );
    return [...byPlace].map(([key, group]) => {
      const { project_id, organization_id } = group[0] as Entry;
      const names = [
        workspaces?.find(({ id }) => id === organization_id)?.name,
        projects?.find(({ id }) => id === project_id)?.name,
      ].filter((name) => name !== undefined);
      const to: LinkProps | undefined =
        project_id !== undefined
          ? { to: '/projects/$project', params: { project: project_id } }
          : organization_id !== undefined
            ? { to: '/workspaces/$org', params: { org: organization_id } }
            : undefined;
      return { key, place: names.join(' / ') || 'Your account', to, entries: group };
    });
  }, [pages, workspaces, projects]);
}
