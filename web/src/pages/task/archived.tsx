import { type ReactNode, useState } from 'react';
import { ActButton } from '../../ui/act-button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { setArchived } from './set-archived.ts';
import type { Task } from './states.ts';

/** Says of a task that it is archived, with the way out. */
export function Archived({ task }: { task: Task }): ReactNode {
  const [failure, setFailure] = useState<unknown>();
  return (
    <section
      aria-label="The archive"
      className="flex shrink-0 flex-col gap-2 border-b border-line bg-waiting-tint px-4 py-1"
    >
      {failure !== undefined && <Failure error={failure} />}
      <div className="flex flex-wrap items-center gap-x-3">
        <p className="min-w-0 flex-1">This task is archived: lists leave it out.</p>
        {task.available_actions.includes('update_task') && (
          <ActButton act={() => setArchived(task.id, false)} onFailure={setFailure}>
            Take out of the archive
          </ActButton>
        )}
      </div>
    </section>
  );
}
