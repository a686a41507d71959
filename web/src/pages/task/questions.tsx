import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshTask, requestsQuery } from '../../data/task.ts';
import { Boundary } from '../../ui/boundary.tsx';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { AnswerForm } from './on-demand.tsx';

type AgentRequest = components['schemas']['AgentRequest'];

/** What the agent asks and no one has answered yet: questions and permissions. */
export function Questions({ taskId }: { taskId: string }): ReactNode {
  const requests = useQuery(requestsQuery(taskId));
  const open = requests.data?.filter(({ status }) => status === 'open') ?? [];
  return open.map((request) => (
    <Boundary key={request.id} what="This question of the agent" source={request.title}>
      <Question request={request} />
    </Boundary>
  ));
}

function Question({ request }: { request: AgentRequest }): ReactNode {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { id: request_id, task_id, title, options } = request;
  const may = request.available_actions.includes('answer_request');
  const answer = async (body: { option_id: string } | { text: string }) => {
    await guildhall.post('/api/tasks/{task_id}/requests/{request_id}/answer', {
      task_id,
      request_id,
      body,
    });
    await refreshTask(task_id);
  };
  const choose = async (option_id: string) => {
    setBusy(true);
    setError(undefined);
    await answer({ option_id }).catch(setError);
    setBusy(false);
  };
  return (
    <section
      aria-label="Question of the agent"
      className="mx-4 mb-4 flex flex-col gap-3 rounded-box border border-line bg-waiting-tint p-3"
    >
      <p dir="auto" className="font-medium">
        {title}
      </p>
      {error !== undefined && <Failure error={error} />}
      {may && (
        <div className="flex flex-wrap gap-2">
          {options.map(({ id, name }) => (
            <Button key={id} disabled={busy} onClick={() => void choose(id)}>
              {name}
            </Button>
          ))}
        </div>
      )}
      {may && options.length === 0 && (
        <AnswerForm request={request} answer={(text) => answer({ text })} />
      )}
      {!may && <p className="text-muted">You may not answer it: a member of the project can.</p>}
    </section>
  );
}
