import { beginChecks, RemoteFailed, RepositoryError } from '../../code/index.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { FileStore } from '../../platform/files/file-store.ts';
import { type Pod, PodError } from '../../platform/pods/pod.ts';
import type { Sealing } from '../../platform/sealing/sealing.ts';
import { VariableUnreadable, variablesOf } from '../../platform/variables/variables-of.ts';
import { hidingValues } from '../../telemetry/hide-secrets.ts';
import { AgentError } from '../agents/agent.ts';
import { giveAttachments } from './attachments.ts';
import type { Turn } from './claim.ts';
import { artifactCollector } from './collect-artifacts.ts';
import { type ChosenAgent, type ConverseOptions, conversing } from './converse.ts';
import type { Environments } from './environment/environment.ts';
import { imageOfTask } from './environment/image-of-task.ts';
import { setUpForTurn } from './environment/set-up-turn.ts';
import { hidingWork } from './hiding.ts';
import { lostMeanwhile, openPod, podFilled, restPod } from './pods.ts';
import type { Repositories } from './repository.ts';
import { TurnFailed, type TurnRunner, type TurnWork } from './runner.ts';
import { toolCalls } from './tool-calls.ts';
import { workTrees } from './work-tree.ts';

export interface AgentRunnerOptions extends ConverseOptions {
  repositories: Repositories;
  files: FileStore;
  /** What agents work in; without it, in what the pods of the driver have. */
  environments?: Environments | undefined;
  /** How long a pod is kept that no turn uses, in milliseconds. */
  podIdle?: number | undefined;
  /** Bytes that the files of a project may take up. */
  filesPerProject: number;
  /** The agent of a task's model, or of no model; undefined if the catalog no longer offers it. */
  agentOf(model: string | null): ChosenAgent | undefined;
  /** Opens the secrets of projects. */
  sealing?: Sealing | undefined;
}

/** Carries out turns with the agents of the catalog, each in the pod of its task. */
export function agentRunner(db: Database, options: AgentRunnerOptions): TurnRunner {
  const { pods, files, repositories, environments } = options;
  const trees = workTrees(repositories);
  const perProject = options.filesPerProject;
  const collect = artifactCollector({ db, files, repositories, perProject });
  const converse = conversing(db, options);

  async function run(turn: Turn, open: TurnWork): Promise<{ text: string }> {
    // What a turn has learned, the next one may know: also one that gets no secret shows none.
    const withSecrets = turn.mode === 'build';
    const { projectId } = turn;
    const wanted = { projectId, purpose: 'agent', withSecrets } as const;
    const variables = await variablesOf(db, options.sealing, wanted);
    const hideValues = hidingValues(variables.secrets);
    const work = hidingWork(open, hideValues);
    const chosen = options.agentOf(turn.model);
    if (chosen === undefined)
      throw new TurnFailed(`The model ${turn.model} is not offered any more: choose another one.`);
    const opened = await openPod(db, pods, turn, () => imageOfTask(options, turn));
    let { pod } = opened;
    try {
      if (opened.afterLoss) await work.append({ type: 'notice', payload: { text: LOST } });
      if (opened.fresh) {
        const notices = await trees.checkOut(pod, turn, work.signal);
        await podFilled(db, turn, pod.id);
        for (const text of notices) await work.append({ type: 'notice', payload: { text } });
      }
      const pushed = opened.fresh ? undefined : await trees.refresh(pod, turn, work.signal);
      if (pushed !== undefined) await work.append({ type: 'notice', payload: { text: pushed } });
      const place = { db, environments, pods, trees, repositories };
      const setup = await setUpForTurn(place, turn, work, opened);
      ({ pod } = setup);
      const { failed } = setup;
      const given = await giveAttachments({ db, files, repositories }, turn, pod);
      const calls = toolCalls();
      const { fresh, session } = opened;
      const at = { pod, fresh, session, given, pushed, failed, calls, variables, hideValues };
      const text = hideValues((await converse(turn, work, chosen, at)).text);
      if (turn.mode === 'build') {
        const made = await commit(turn, work, pod, { text, agent: chosen.agent.id });
        if (made === undefined && calls.allFailed())
          await work.append({ type: 'notice', payload: { text: NOTHING_DONE } });
        await collect(turn, work, pod.files, hideValues);
      }
      return { text };
    } catch (error) {
      work.signal.throwIfAborted();
      throw (isFault(error) ? await lostMeanwhile(db, pods, turn, pod.id) : undefined) ?? error;
    } finally {
      await restPod(db, pods, turn, pod.id, options.podIdle);
    }
  }

  async function commit(
    turn: Turn,
    work: TurnWork,
    pod: Pod,
    { text, agent }: { text: string; agent: string },
  ): Promise<{ id: string } | undefined> {
    const notices: string[] = [];
    const notice = (text: string) => notices.push(text);
    const made = await trees.commit(pod, turn, `Turn ${turn.number}\n\n${text}`, {
      agent,
      approver: turn.approver,
      signal: work.signal,
      onLeftOut: notice,
      onMerge: notice,
    });
    if (made !== undefined) await work.appendOnce({ type: 'commit', payload: { ...made } });
    for (const text of notices) await work.append({ type: 'notice', payload: { text } });
    // A worker that looks at the branch later begins them if this fails.
    await beginChecks(db, repositories.directory, turn.taskId, work.signal).catch(() => {});
    if (made !== undefined) await db.many(pushedByAgent(turn.taskId, made.id)).catch(() => {});
    return made;
  }

  return {
    run: (turn, work) =>
      run(turn, work).catch((error) => {
        work.signal.throwIfAborted();
        if (error instanceof AgentError || error instanceof PodError) {
          const sentence = error instanceof PodError ? error.sentence : error.message;
          throw new TurnFailed(`${sentence}. Send a message to try again.`, { cause: error });
        }
        if (error instanceof RemoteFailed && error.passes)
          throw new TurnFailed(`${error.message} Send a message to try again.`, { cause: error });
        if (error instanceof VariableUnreadable) throw new TurnFailed(error.message);
        if (error instanceof RepositoryError) throw new TurnFailed(error.message);
        throw error;
      }),
  };
}

/** An error that a pod that went away would explain. */
const isFault = (error: unknown) =>
  error instanceof AgentError || error instanceof PodError || error instanceof TurnFailed;

// On another host, a head that is another one was pushed by a person. The next poll reads its checks.
const pushedByAgent = (taskId: string, head: string) => sql`
  update pull_request pr set head_sha = ${head}, looked_at = null
    from repository r
   where pr.task_id = ${taskId} and pr.state = 'open'
     and r.id = pr.repository_id and r.host <> 'local'`;

const LOST =
  'The pod of this task was lost, with everything that had not been committed. The work begins ' +
  'again in a new pod, from the last commit of the task.';
const NOTHING_DONE =
  'Every command and tool that the agent used in this turn failed, and nothing was changed. See ' +
  'what they said, and send a message to try again.';
