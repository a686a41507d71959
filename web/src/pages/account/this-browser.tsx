import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { beTold, beToldNoMore, canBeTold, noteAsked, pushQuery } from '../../data/push.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Section } from '../../ui/page.tsx';

/** Whether the browser that shows this is told, while its session lasts. */
export function ThisBrowser(): ReactNode {
  const push = useQuery(pushQuery);
  const [busy, setBusy] = useState(false);
  const [denied, setDenied] = useState(canBeTold() && Notification.permission === 'denied');
  const [failure, setFailure] = useState<unknown>();
  if (insteadOf(push)) return <Failure error={push.error} retry={() => void push.refetch()} />;
  if (push.data === undefined) return null;
  const { subscribed } = push.data;
  async function change(): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    try {
      noteAsked();
      if (subscribed) await beToldNoMore();
      else setDenied((await beTold()) === 'denied');
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  }
  return (
    <Section title="This browser">
      <div className="flex flex-wrap items-center justify-between gap-3 rounded-box border border-line p-3">
        <p className="max-w-prose text-muted">
          {!canBeTold()
            ? 'This browser cannot be told: it takes messages only from addresses that begin with https.'
            : subscribed
              ? 'This browser tells you what happens, until you sign out here.'
              : denied
                ? 'You have not allowed messages of this site: allow them in the settings of the browser.'
                : 'This browser can tell you what happens, also while this page is closed.'}
        </p>
        {canBeTold() && (
          <Button busy={busy} disabled={denied && !subscribed} onClick={() => void change()}>
            {subscribed ? 'Tell me no more here' : 'Tell me in this browser'}
          </Button>
        )}
      </div>
      {failure !== undefined && <Failure error={failure} />}
    </Section>
  );
}
