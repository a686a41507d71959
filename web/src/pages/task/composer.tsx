import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { useDraft } from '../../data/drafts.ts';
import { refreshTask } from '../../data/task.ts';
import { useUploads } from '../../data/uploads.ts';
import { exactDollars } from '../../ui/amount.ts';
import { Button } from '../../ui/button.tsx';
import { ComposerField } from './composer-field.tsx';
import { useModels } from './models.ts';
import { TaskSettings } from './on-demand.tsx';
import type { Task } from './states.ts';

const WORKS = new Set(['queued', 'planning', 'building', 'awaiting_answer']);

/** Writes to the agent. While it works, messages are queued. */
export function Composer({ task }: { task: Task }): ReactNode {
  const { id: task_id, available_actions: can } = task;
  const draft = useDraft(task_id, 'message');
  const uploads = useUploads(`/api/tasks/${task_id}/attachments`, async (attachment_id) =>
    guildhall.delete('/api/tasks/{task_id}/attachments/{attachment_id}', {
      task_id,
      attachment_id,
    }),
  );
  const [settings, setSettings] = useState(false);
  const { nameOf } = useModels(task.project_id);
  const working = WORKS.has(task.status);
  const { cap } = task.spend;
  return (
    <div className="border-t border-line bg-surface p-3">
      <ComposerField
        label="Message to the agent"
        placeholder={working ? 'Will be read after this turn' : 'Say what to change'}
        submit={working ? 'Queue' : 'Send'}
        rows={2}
        draft={draft}
        uploads={can.includes('create_attachment') ? uploads : undefined}
        send={async (text, attachment_ids) => {
          await guildhall.post('/api/tasks/{task_id}/messages', {
            task_id,
            body: { text, attachment_ids },
          });
          await refreshTask(task_id);
        }}
      >
        {can.includes('update_task') && (
          <Button
            look="quiet"
            className="max-w-full"
            title="Change the title, the model and the cap of the task"
            onClick={() => setSettings(true)}
          >
            <span className="truncate">
              {nameOf(task.model)} · {cap === undefined ? 'no cap' : `cap ${exactDollars(cap)}`}
            </span>
          </Button>
        )}
      </ComposerField>
      {settings && <TaskSettings task={task} onClose={() => setSettings(false)} />}
    </div>
  );
}
