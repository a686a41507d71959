import type { components } from '@guildhall/client';
import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshTask } from '../../data/task.ts';
import { Form, TextArea } from '../../ui/form.tsx';
import type { Revision } from './use-revision.ts';

type Plan = components['schemas']['Plan'];

/** Where a person writes the next version of the plan. */
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
