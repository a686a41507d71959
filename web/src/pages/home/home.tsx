import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { inboxQuery } from '../../data/lists.ts';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Page, Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';

const KINDS = {
  plan_approval: 'Plan to approve',
  question: 'Question of the agent',
  funds: 'Out of funds',
  invitation: 'Invitation',
  failed_checks: 'Checks failed',
};

/** What waits for the person, newest first. */
export function Home(): ReactNode {
  const inbox = useQuery(inboxQuery);
  return (
    <Page title="Waits for you">
      {inbox.error && <Failure error={inbox.error} retry={inbox.refetch} />}
      {inbox.data?.length === 0 && (
        <Empty>
          Nothing waits for you. When an agent has a plan or a question, it stands here.
        </Empty>
      )}
      {inbox.data !== undefined && inbox.data.length > 0 && (
        <Section title="Inbox">
          <ul className="flex flex-col">
            {inbox.data.map((entry) => (
              <li key={`${entry.kind} ${entry.task_id ?? entry.since}`} className="flex gap-3 py-1">
                <Status state="waiting">{KINDS[entry.kind]}</Status>
                {entry.task_id !== undefined && entry.project_id !== undefined ? (
                  <Link to="/">{entry.title}</Link>
                ) : (
                  <span>{entry.title}</span>
                )}
                <Time at={entry.since} />
              </li>
            ))}
          </ul>
        </Section>
      )}
    </Page>
  );
}
