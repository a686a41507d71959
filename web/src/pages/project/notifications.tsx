import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { muteQuery, setMute } from '../../data/notifications.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Section } from '../../ui/page.tsx';

/** Whether the person who reads this is told of the project's tasks. */
export function ProjectNotifications({ projectId }: { projectId: string }): ReactNode {
  const query = useQuery(muteQuery(projectId));
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  async function change(muted: boolean): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    await setMute(projectId, muted).catch(setFailure);
    setBusy(false);
  }
  if (insteadOf(query)) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return null;
  const { muted } = query.data;
  return (
    <Section title="Notifications">
      <div className="flex flex-wrap items-center justify-between gap-3 rounded-box border border-line p-3">
        <p className="max-w-prose text-muted">
          {muted
            ? 'You have muted the project: you are told nothing of its tasks.'
            : 'You are told of the tasks that you began or follow here.'}{' '}
          <Link to="/account/notifications" className="text-link underline">
            How you are told
          </Link>
        </p>
        <Button busy={busy} onClick={() => void change(!muted)}>
          {muted ? 'Unmute the project' : 'Mute the project'}
        </Button>
      </div>
      {failure !== undefined && <Failure error={failure} />}
    </Section>
  );
}
