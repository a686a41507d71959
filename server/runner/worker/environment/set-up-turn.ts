import { randomUUID } from 'node:crypto';
import type { Database } from '../../../db/database/database.ts';
import type { Pod, PodDriver } from '../../../platform/pods/pod.ts';
import { chosenBase } from '../chosen-base.ts';
import type { Turn } from '../claim.ts';
import { podLog } from '../pod-log.ts';
import { podEmptied, podFilled, podSetUp, type TaskPod } from '../pods.ts';
import type { Repositories } from '../repository.ts';
import type { TurnWork } from '../runner.ts';
import type { WorkTrees } from '../work-tree.ts';
import { type Environments, hasFailed, type SetupEnd } from './environment.ts';
import { inOneLine, lastOf, restoredText } from './setup-log.ts';

interface TurnPlace {
  db: Database;
  environments: Environments | undefined;
  pods: PodDriver;
  trees: WorkTrees;
  repositories: Repositories;
}

/** Bytes of the log of a setup in its event: the end. */
const SHOWN_BYTES = 8_000;

/**
 * Sets up the pod of a turn before its agent starts, unless that has succeeded in it before, with
 * the same command for the same files. A failure is no failure of the turn: its agent may mend it.
 */
export async function setUpForTurn(
  place: TurnPlace,
  turn: Turn,
  work: TurnWork,
  opened: TaskPod,
): Promise<{ pod: Pod; failed: SetupEnd | undefined }> {
  const { db, environments, pods, trees, repositories } = place;
  const { pod, fresh, setUp, setUpFor } = opened;
  const { projectId, taskId } = turn;
  const done = setUp && setUpFor === null;
  const commit = done ? undefined : await repositories.baseOf({ projectId, taskId });
  if (environments === undefined || commit === undefined) return { pod, failed: undefined };
  const { signal } = work;
  const environment = await environments.of({ projectId, commit }, signal);
  const name = await environments.nameOf(environment, { projectId, commit }, signal);
  if (setUp && name === setUpFor) return { pod, failed: undefined };
  if (fresh)
    for (const text of environment.notices)
      await work.append({ type: 'notice', payload: { text } });
  const id = randomUUID();
  const branch = await chosenBase(db)(taskId);
  const renew = async () => {
    // A worker that dies in between leaves a part of the work tree, which none takes for all of it.
    await podEmptied(db, turn, pod.id);
    await pods.destroy(pod.id);
    await pods.create(pod.id, environment.image);
    const made = await pods.attach(pod.id);
    await trees.checkOut(made, turn, signal);
    await podFilled(db, turn, pod.id);
    return made;
  };
  // While it runs: a setup without its hosts may wait for long.
  let told = Promise.resolve();
  const ready = await environments.setUp(
    pod,
    environment,
    { projectId, commit, base: branch === undefined ? undefined : { branch, taskId } },
    {
      signal,
      // Where an agent may have worked, nothing is kept.
      renew: fresh ? renew : undefined,
      onStart: (command) =>
        work.append({ type: 'setup', payload: { id, status: 'running', command } }),
      onRefused: (payload) => {
        told = told.then(() => work.append({ type: 'notice', payload }));
        told.catch(() => {});
      },
    },
  );
  await told;
  const { end } = ready;
  if (end === undefined || name === undefined) return { pod: ready.pod, failed: undefined };
  await work.append({ type: 'setup', payload: { id, status: 'ended', ...shown(end) } });
  await keepLog(db, turn, pod.id, end);
  if (hasFailed(end)) return { pod: ready.pod, failed: end };
  await podSetUp(db, turn, pod.id, name);
  return { pod: ready.pod, failed: undefined };
}

const shown = (end: SetupEnd): SetupEnd => ({
  ...end,
  log: end.made === undefined ? lastOf(end.log, SHOWN_BYTES) : restoredText(end),
});

/** Beside what the agents of the pod write. */
async function keepLog(db: Database, turn: Turn, podId: string, end: SetupEnd): Promise<void> {
  // Its secrets are hidden already.
  const log = podLog(db, turn, podId, (text) => text);
  log.line(`Setup: ${inOneLine(end.command)}`);
  log.line(end.made === undefined ? end.log.trimEnd() : restoredText(end));
  await log.end();
}
