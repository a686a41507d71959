import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { projectQuery } from '../../data/project.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { patiently } from '../../ui/patiently.ts';
import type { WayOn } from './paused.ts';
import type { Task } from './states.ts';
import { TaskSettings } from './task-menu.tsx';

const Funds = lazy(() =>
  patiently(async () => ({ default: (await import('../billing/pages.ts')).Funds })),
);

/** The buttons that let a paused task go on: where they can, they act in place. */
export function WaysOn({ task, ways }: { task: Task; ways: readonly WayOn[] }): ReactNode {
  const [open, setOpen] = useState<WayOn>();
  const org = useQuery(projectQuery(task.project_id)).data?.organization_id;
  const close = () => setOpen(undefined);
  return (
    <>
      {ways.includes('funds') && (
        <Button look="primary" onClick={() => setOpen('funds')}>
          Add funds
        </Button>
      )}
      {ways.includes('task cap') && (
        <Button look="primary" onClick={() => setOpen('task cap')}>
          Raise the cap
        </Button>
      )}
      {ways.includes('project cap') && (
        <ButtonLink to="/projects/$project/settings" params={{ project: task.project_id }}>
          Cap of the project
        </ButtonLink>
      )}
      {ways.includes('limits') &&
        (org === undefined ? (
          <ButtonLink to="/account/billing" search={{ view: 'limits' }}>
            Raise the limit
          </ButtonLink>
        ) : (
          <ButtonLink to="/workspaces/$org/billing" params={{ org }} search={{ view: 'limits' }}>
            Raise the limit
          </ButtonLink>
        ))}
      {open === 'task cap' && <TaskSettings task={task} onClose={close} />}
      {open === 'funds' && (
        <Dialog title="Add funds" onClose={close}>
          <p className="text-muted">The task goes on by itself once the balance covers a step.</p>
          <Suspense fallback={<p className="text-muted">Loading…</p>}>
            <Funds org={org} />
          </Suspense>
        </Dialog>
      )}
    </>
  );
}
