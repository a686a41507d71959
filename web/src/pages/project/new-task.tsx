import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { queries } from '../../data/queries.ts';
import { Form, TextArea, TextField } from '../../ui/form.tsx';

/** Begins a task: its first message starts the agent's planning. */
export function NewTask({ projectId }: { projectId: string }): ReactNode {
  const navigate = useNavigate();
  return (
    <Form
      submit="Start the task"
      onSubmit={async ({ message = '', base = '' }) => {
        const task = await guildhall.post('/api/projects/{project_id}/tasks', {
          project_id: projectId,
          body: { message, ...(base === '' ? {} : { base }) },
        });
        queries.setQueryData(['task', task.id], undefined);
        await queries.invalidateQueries({ queryKey: ['project', projectId] });
        await navigate({
          to: '/projects/$project/tasks/$task',
          params: { project: projectId, task: task.id },
        });
      }}
    >
      <TextArea
        name="message"
        label="What is to be built?"
        rows={3}
        required
        placeholder="Sale orders above 1,000 euros need the approval of a manager"
      />
      <TextField
        name="base"
        label="Branch to begin with"
        hint="Its changes are to be merged into it. Left empty, it is the default branch."
        maxLength={200}
        autoCapitalize="none"
        spellCheck={false}
      />
    </Form>
  );
}
