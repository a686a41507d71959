import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../../client/src/index.ts';

/** A task from its message to its merge, through the API alone, and what was seen on the way. */

export interface Step {
  step: string;
  seconds: number;
  seen: string;
}

interface Journey {
  client: Client;
  message: string;
  change: string;
  /** Milliseconds for all of it. */
  timeout: number;
  onStep(step: Step): void;
}

const POLL_EVERY_MS = 300;

/** Rejects with an Error that says where it ended. Resolves with the id of the task. */
export async function journey({ client, message, change, timeout, onStep }: Journey) {
  const until = performance.now() + timeout;
  const project = await client.post('/api/projects', {
    body: { name: 'A trial', erp_version: '18.0', erp_edition: 'community' },
  });
  const step = async <Seen>(
    name: string,
    act: () => Promise<Seen>,
    say: (seen: Seen) => string,
  ) => {
    const began = performance.now();
    const seen = await act();
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    onStep({ step: name, seconds, seen: say(seen) });
    return seen;
  };
  const { id: task_id } = await client.post('/api/projects/{project_id}/tasks', {
    project_id: project.id,
    body: { message },
  });

  /** Waits for a state of the task; questions get their first option, as a person may choose it. */
  const reach = async (wanted: string, version = 0) => {
    for (;;) {
      const task = await client.get('/api/tasks/{task_id}', { task_id });
      if (task.status === wanted && (task.plan?.version ?? 0) >= version) return task;
      if (['failed', 'paused', 'cancelled'].includes(task.status))
        throw new Error(
          `The task is ${task.status}: ${task.status_reason ?? 'no reason is given'}`,
        );
      if (task.status === 'awaiting_answer') await answer();
      if (performance.now() > until) throw new Error(`It was ${task.status} when the time was up.`);
      await pause(POLL_EVERY_MS);
    }
  };
  const answer = async () => {
    const open = await client.list('/api/tasks/{task_id}/requests', { task_id }).all();
    const request = open.find(({ status }) => status === 'open');
    if (request === undefined) return;
    const [first] = request.options;
    const body =
      first === undefined ? { text: 'Do what you think is best.' } : { option_id: first.id };
    await client.post('/api/tasks/{task_id}/requests/{request_id}/answer', {
      task_id,
      request_id: request.id,
      body,
    });
  };
  const plan = async (version: number) => {
    await reach('awaiting_approval', version);
    return client.get('/api/tasks/{task_id}/plan', { task_id });
  };

  const first = await step(
    'plan',
    () => plan(1),
    ({ text }) => firstLine(text),
  );
  await client.post('/api/tasks/{task_id}/plan/request-changes', {
    task_id,
    body: { text: change },
  });
  await step(
    'changed plan',
    () => plan(first.version + 1),
    ({ text }) => firstLine(text),
  );
  await step(
    'build',
    async () => {
      await client.post('/api/tasks/{task_id}/plan/approve', { task_id });
      await reach('ready');
      return client.get('/api/tasks/{task_id}/diff', { task_id });
    },
    ({ files }) => files.map(({ path }) => path).join(', ') || 'nothing was changed',
  );
  const { head_sha } = await step(
    'pull request',
    () => client.post('/api/tasks/{task_id}/pull-request', { task_id }),
    ({ number, base }) => `#${number} into ${base}`,
  );
  await step(
    'merge',
    async () => {
      const body = { expected_head_sha: head_sha as string };
      await client.post('/api/tasks/{task_id}/merge', { task_id, body });
      for (;;) {
        const merge = await client.get('/api/tasks/{task_id}/merge', { task_id });
        if (merge.state === 'merged') return merge;
        if (merge.state !== 'queued') throw new Error(`The merge is ${merge.state}.`);
        if (performance.now() > until) throw new Error('The merge waited when the time was up.');
        await pause(POLL_EVERY_MS);
      }
    },
    ({ branch, state }) => `${branch}: ${state}`,
  );
  return task_id;
}

const firstLine = (text: string): string => {
  const [line = ''] = text.trim().split('\n');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
};
