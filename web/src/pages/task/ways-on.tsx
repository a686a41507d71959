import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { projectQuery } from '../../data/project.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Fund } from './fund.tsx';
import { TaskSettings } from './on-demand.tsx';
import type { WayOn } from './paused.ts';
import type { Task } from './states.ts';

/** The buttons that let a paused task go on: where they can, they act in place. */
export function WaysOn({ task, ways }: { task: Task; ways: readonly WayOn[] }): ReactNode {
  const [open, setOpen] = useState(false);
  const org = useQuery(projectQuery(task.project_id)).data?.organization_id;
  return (
    <>
      {ways.includes('funds') && (
        <Fund org={org}>The task goes on by itself once the balance covers a step.</Fund>
      )}
      {ways.includes('task cap') && (
        <Button look="primary" onClick={() => setOpen(true)}>
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
      {open && <TaskSettings task={task} onClose={() => setOpen(false)} />}
    </>
  );
}
