import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { refreshAccount, sessionsQuery } from '../../data/account.ts';
import { auth } from '../../data/api.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { browserName } from './browser-name.ts';

/** Where the person is signed in. */
export function Sessions(): ReactNode {
  const sessions = useQuery(sessionsQuery);
  const [refusal, setRefusal] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  async function end(work: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    setRefusal(undefined);
    await work().then(refreshAccount).catch(setRefusal);
    setBusy(false);
  }
  const rows = sessions.data ?? [];
  return (
    <Section
      title="Sessions"
      actions={
        rows.length > 1 && (
          <Button
            busy={busy}
            onClick={() => void end(() => auth.post('/auth/sessions/end-others'))}
          >
            Sign out everywhere else
          </Button>
        )
      }
    >
      {sessions.error && <Failure error={sessions.error} retry={() => void sessions.refetch()} />}
      {refusal !== undefined && <Failure error={refusal} />}
      {sessions.data && (
        <Table
          label="Your sessions"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              heading: 'Browser',
              cell: ({ user_agent, current }) => (
                <>
                  <span title={user_agent}>{browserName(user_agent)}</span>
                  {current && <span className="text-done"> · this one</span>}
                </>
              ),
            },
            { heading: 'Address', wide: true, cell: ({ network }) => network ?? 'unknown' },
            { heading: 'Signed in', cell: ({ created_at }) => <Time at={created_at} /> },
            {
              heading: 'Last seen',
              wide: true,
              cell: ({ last_seen_at }) => (last_seen_at ? <Time at={last_seen_at} /> : 'not yet'),
            },
            {
              heading: '',
              align: 'right',
              cell: ({ id: session_id, current, user_agent }) =>
                !current && (
                  <Button
                    aria-label={`Sign out ${browserName(user_agent)}`}
                    disabled={busy}
                    onClick={() =>
                      void end(() => auth.delete('/auth/sessions/{session_id}', { session_id }))
                    }
                  >
                    Sign out
                  </Button>
                ),
            },
          ]}
        />
      )}
    </Section>
  );
}
