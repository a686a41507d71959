import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../../client/src/index.ts';

/**
 * A task from its message to its merge, with checks that fail and are fixed on the way, through the
 * API alone, and what was seen.
 */

export interface Step {
  step: string;
  seconds: number;
  seen: string;
}

interface Journey {
  client: Client;
  message: string;
  change: string;
  /** Variables of the project, for all that runs for it but deploys. */
  variables: Readonly<Record<string, string>>;
  /** Brings the code of the project into its repository; says what that was. */
  bring(projectId: string): Promise<string>;
  /** Milliseconds for all of it. */
  timeout: number;
  /** Ends it, with its reason. */
  signal: AbortSignal;
  onStep(step: Step): void;
}

const POLL_EVERY_MS = 300;

/** Rejects with an Error that says where it ended. Resolves with the id of the project. */
export async function journey(journey: Journey): Promise<string> {
  const { client, message, change, variables, bring, timeout, signal, onStep } = journey;
  const until = performance.now() + timeout;
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
  /** Asks again until the answer is what is waited for; `what` is for the Error when time is up. */
  const poll = async <Seen>(what: string, ask: () => Promise<Seen | undefined>) => {
    for (;;) {
      signal.throwIfAborted();
      const seen = await ask();
      if (seen !== undefined) return seen;
      if (performance.now() > until) throw new Error(`The time was up before ${what}.`);
      await pause(POLL_EVERY_MS);
    }
  };

  const { id: project_id } = await client.post('/api/projects', {
    body: { name: 'A trial', erp_version: '18.0', erp_edition: 'community' },
  });
  await step('first push', () => bring(project_id), String);
  for (const [name, value] of Object.entries(variables))
    await client.put('/api/projects/{project_id}/variables/{name}', {
      project_id,
      name,
      body: { value, secret: false, purposes: ['setup', 'agent', 'checks'] },
    });
  const { id: task_id } = await client.post('/api/projects/{project_id}/tasks', {
    project_id,
    body: { message },
  });

  /** Waits for a state of the task; questions get their first option, as a person may choose it. */
  const reach = (wanted: string, version = 0) =>
    poll(`the task was ${wanted.replace('_', ' ')}`, async () => {
      const task = await client.get('/api/tasks/{task_id}', { task_id });
      if (task.status === wanted && (task.plan?.version ?? 0) >= version) return task;
      if (['failed', 'paused', 'cancelled'].includes(task.status))
        throw new Error(
          `The task is ${task.status}: ${task.status_reason ?? 'no reason is given'}`,
        );
      if (task.status === 'awaiting_answer') await answer();
      return undefined;
    });
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
  const pull = () => client.get('/api/tasks/{task_id}/pull-request', { task_id });
  /** Waits for the checks of the last commit. */
  const checked = () =>
    poll('the checks had ended', async () => {
      const { checks, head_sha } = await pull();
      if (['passed', 'failed'].includes(checks.state)) return { head_sha, state: checks.state };
      if (checks.state === 'pending') return undefined;
      throw new Error(`The checks are ${checks.state}.`);
    });

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
  const changed = async () => {
    await reach('ready');
    return client.get('/api/tasks/{task_id}/diff', { task_id });
  };
  await step(
    'build',
    async () => {
      await client.post('/api/tasks/{task_id}/plan/approve', { task_id });
      return changed();
    },
    ({ files }) => namesOf(files),
  );
  await step(
    'pull request',
    () => client.post('/api/tasks/{task_id}/pull-request', { task_id }),
    ({ number, base }) => `#${number} into ${base}`,
  );
  let { head_sha, state } = await step('checks', checked, (seen) => seen.state);
  // An agent may have fixed it unasked, although it was told not to.
  if (state === 'failed') {
    await step(
      'fix',
      async () => {
        await client.post('/api/tasks/{task_id}/pull-request/fix-checks', { task_id });
        await poll('the agent had changed something', async () => {
          const { head_sha: now } = await pull();
          if (now !== head_sha) return true;
          await reach('ready');
          return undefined;
        });
        return changed();
      },
      ({ files }) => namesOf(files),
    );
    ({ head_sha, state } = await step('checks again', checked, (seen) => seen.state));
    if (state === 'failed') throw new Error('The checks fail after they were fixed, too.');
  }
  await step(
    'merge',
    async () => {
      const body = { expected_head_sha: head_sha as string };
      await client.post('/api/tasks/{task_id}/merge', { task_id, body });
      return poll('the merge was done', async () => {
        const merge = await client.get('/api/tasks/{task_id}/merge', { task_id });
        if (merge.state === 'queued') return undefined;
        if (merge.state !== 'merged') throw new Error(`The merge is ${merge.state}.`);
        return merge;
      });
    },
    ({ branch, state: merged }) => `${branch}: ${merged}`,
  );
  return project_id;
}

const namesOf = (files: readonly { path: string }[]): string =>
  files.map(({ path }) => path).join(', ') || 'nothing was changed';

const firstLine = (text: string): string => {
  const [line = ''] = text.trim().split('\n');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
};
