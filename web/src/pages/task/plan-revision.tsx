import type { components } from '@guildhall/client';
import { type ReactNode, useEffect, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { useDraft } from '../../data/drafts.ts';
import { refreshTask } from '../../data/task.ts';
import { Form, TextArea } from '../../ui/form.tsx';
import { noteRevising } from './revising.ts';

type Plan = components['schemas']['Plan'];

/** A person's text of the plan that is not saved yet, and the version that it began with. */
interface Revision {
  open: boolean;
  base: number;
  text: string | undefined;
  begin: () => void;
  keep: (text: string) => void;
  end: () => void;
}

/** A revision outlives a reload, another panel and a newer version of the agent. */
export function useRevision(taskId: string, latest: number): Revision {
  const draft = useDraft(taskId, 'plan');
  const base = useDraft(taskId, 'plan base');
  const [begun, setBegun] = useState<number>();
  const kept = draft.text === '' ? undefined : Number(base.text) || latest;
  const on = begun ?? kept;
  const typed = kept !== undefined;
  useEffect(() => {
    noteRevising(taskId, on !== undefined);
    // On another panel, only what was typed is still there.
    return () => noteRevising(taskId, typed);
  }, [taskId, on, typed]);
  return {
    open: on !== undefined,
    base: on ?? latest,
    text: draft.text === '' ? undefined : draft.opened || draft.text,
    begin: () => setBegun(latest),
    keep: (text) => {
      draft.keep(text);
      base.keep(String(on ?? latest));
    },
    end: () => {
      draft.forget();
      base.forget();
      setBegun(undefined);
    },
  };
}

export function PlanRevision({ plan, revision }: { plan: Plan; revision: Revision }): ReactNode {
  const { task_id, version } = plan;
  const newer = version !== revision.base;
  return (
    <div className="flex flex-col gap-3">
      {newer && (
        <p role="alert" className="rounded-box bg-waiting-tint p-2 text-waiting">
          Version {version} has arrived while you typed. Your text began with version{' '}
          {revision.base}: copy what you need and cancel to read the newer one, or save yours after
          it.
        </p>
      )}
      <Form
        submit={
          newer
            ? `Save as version ${version + 1}, after ${version}`
            : `Save as version ${version + 1}`
        }
        onCancel={revision.end}
        onSubmit={async ({ text = '' }) => {
          await guildhall.put(
            '/api/tasks/{task_id}/plan',
            { task_id, body: { text } },
            { ifMatch: `"${version}"` },
          );
          revision.end();
          await refreshTask(task_id);
        }}
      >
        <TextArea
          name="text"
          label="The plan, in Markdown"
          rows={24}
          defaultValue={revision.text ?? plan.text}
          onValueChange={revision.keep}
        />
      </Form>
    </div>
  );
}
