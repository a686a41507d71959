import { beginChecks, RemoteFailed, RepositoryError } from '../../code/index.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { described, type ErpCall, openErpGateway, type TargetsOf } from '../../erp/index.ts';
import type { ModelLimits, Provider } from '../../platform/catalog/agent-fields.ts';
import type { FileStore } from '../../platform/files/file-store.ts';
import { type Pod, type PodDriver, PodError } from '../../platform/pods/pod.ts';
import type { Sealing } from '../../platform/sealing/sealing.ts';
import {
  type Variables,
  VariableUnreadable,
  variablesOf,
} from '../../platform/variables/variables-of.ts';
import { hiding, hidingValues, type ValueHiding } from '../../telemetry/hide-secrets.ts';
import {
  type AgentCommand,
  AgentError,
  type AgentSession,
  type AgentUpdate,
  type StartAgent,
  type TurnResult,
  type Usage,
} from '../agents/agent.ts';
import { openGateway } from '../gateway/gateway.ts';
import { reaching } from '../gateway/launch.ts';
import type { Network, OpenNetwork } from '../network/network.ts';
import { agentCosts } from './agent-costs.ts';
import { type GivenFiles, giveAttachments } from './attachments.ts';
import { gatherChunks } from './chunks.ts';
import type { Turn } from './claim.ts';
import { artifactCollector } from './collect-artifacts.ts';
import { instructionsFor, whyAnew } from './conversation/instructions.ts';
import { keepToldComments, keepToldSession } from './conversation/keep-told.ts';
import { readConversation } from './conversation/read-conversation.ts';
import { tell } from './conversation/tell.ts';
import type { Environments, SetupEnd } from './environment/environment.ts';
import { setUpForTurn } from './environment/set-up-turn.ts';
import { hidingChunks, hidingWork, secretsOf } from './hiding.ts';
import { podLog } from './pod-log.ts';
import { keepSession, lostMeanwhile, openPod, podFilled, restPod, type TaskPod } from './pods.ts';
import type { Repositories } from './repository.ts';
import { TurnFailed, type TurnRunner, type TurnWork } from './runner.ts';
import { type ToolCalls, toolCalls } from './tool-calls.ts';
import { workTrees } from './work-tree.ts';

export interface ChosenAgent {
  agent: AgentCommand;
  /** Where its model is; undefined for an agent that uses none, or that reaches it by itself. */
  provider: Provider | undefined;
  /** As the catalog names it. */
  modelId: string;
  /** As the provider names it. */
  model: string;
  /** What the agent calls it in a session; undefined leaves the choice to the agent. */
  sessionModel: string | undefined;
  limits?: ModelLimits;
  /** Nano-USD of tokens. */
  costOf(usage: Usage): bigint;
}

export interface AgentRunnerOptions {
  pods: PodDriver;
  repositories: Repositories;
  files: FileStore;
  /** What agents work in; without it, in what the pods of the driver have. */
  environments?: Environments | undefined;
  /** How long a pod is kept that no turn uses, in milliseconds. */
  podIdle?: number | undefined;
  /** Bytes that the files of a project may take up. */
  filesPerProject: number;
  startAgent(options: StartAgent): Promise<AgentSession>;
  /** The agent of a task's model, or of no model; undefined if the catalog no longer offers it. */
  agentOf(model: string | null): ChosenAgent | undefined;
  /** The Odoo servers that the agent of a turn may use; none by default. */
  erpTargets?: TargetsOf;
  /** Opens the secrets of projects. */
  sealing?: Sealing | undefined;
  /** What processes reach of the network; without it, none is offered to them. */
  openNetwork?: OpenNetwork | undefined;
  /** What an operator must know of a provider, as a sentence. */
  onFault?: (sentence: string) => void;
}

/**
 * Where a turn takes place. `pushed` says what people have done to its branch meanwhile, and
 * `failed` how the setup of its pod has failed.
 */
type Place = Pick<TaskPod, 'pod' | 'fresh' | 'session'> & {
  given: GivenFiles;
  pushed: string | undefined;
  failed: SetupEnd | undefined;
  calls: ToolCalls;
  variables: Variables;
  hideValues: ValueHiding;
};

/** Carries out turns with the agents of the catalog, each in the pod of its task. */
export function agentRunner(db: Database, options: AgentRunnerOptions): TurnRunner {
  const { pods, files, repositories, environments } = options;
  const trees = workTrees(repositories);
  const perProject = options.filesPerProject;
  const collect = artifactCollector({ db, files, repositories, perProject });

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
    const opened = await openPod(db, pods, turn, () => imageOf(turn));
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
      // Whoever has taken the turn over may work in the same pod by now.
      if (work.signal.reason?.reason !== 'lost')
        await restPod(db, pods, turn, pod.id, options.podIdle);
    }
  }

  /** Of a new pod; undefined for that of the driver. */
  async function imageOf({ projectId, taskId }: Turn): Promise<string | undefined> {
    if (environments?.haveImages !== true) return undefined;
    const commit = await repositories.headOf({ projectId, taskId });
    return (await environments.of({ projectId, commit })).image;
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

  /** One turn of the conversation. The agent and its processes have ended when it settles. */
  async function converse(
    turn: Turn,
    work: TurnWork,
    { agent, provider, modelId, model, sessionModel, limits = {}, costOf }: ChosenAgent,
    {
      pod,
      fresh,
      session: resume,
      given,
      pushed,
      failed: setup,
      calls,
      variables,
      hideValues,
    }: Place,
  ): Promise<TurnResult> {
    const ending = new AbortController();
    const signal = AbortSignal.any([work.signal, ending.signal]);
    let failed: { error: unknown } | undefined;
    const fail = (error: unknown) => {
      failed ??= { error };
      ending.abort(error);
    };
    const chunks = hidingChunks(gatherChunks(work.append, fail), hideValues);
    const costs = agentCosts({ work, chunks, model: modelId, costOf, onError: fail });
    const notice = (text: string) => chunks.event({ type: 'notice', payload: { text } });
    const { onFault = () => undefined } = options;
    const gateway =
      provider &&
      (await openGateway({
        provider,
        model,
        limits,
        signal,
        onFault,
        onRefused: (sentence) => fail(new TurnFailed(sentence)),
        onDelay: notice,
        costOf,
        reserve: costs.reserve,
      }));
    const onUpdate = (update: AgentUpdate) => {
      if (update.type === 'message' || update.type === 'thought') return chunks.text(update);
      // What the gateway counts is not charged again as the agent reports it.
      if (update.type === 'usage')
        return gateway === undefined ? costs.reported(update.usage) : undefined;
      calls.note(update);
      const { type, ...payload } = update;
      return chunks.event({ type, payload });
    };
    const erp = await erpOf(turn, signal, (call) =>
      chunks.event({ type: 'erp_call', payload: { ...call } }),
    ).catch(async (error) => {
      await gateway?.close();
      throw error;
    });
    const network = await networkOf(turn, provider, {
      signal,
      onRefused: (payload) => chunks.event({ type: 'notice', payload }),
    }).catch(async (error) => {
      await Promise.all([gateway?.close(), erp?.gateway.close()]);
      throw error;
    });
    const { agent: launched, sockets } = reaching(agent, model, gateway, erp, network);
    const tokens = [gateway?.token, network?.token, provider?.key(), ...(erp?.secrets ?? [])];
    const hide = hiding([...secretsOf(launched.env, tokens), ...variables.secrets]);
    const log = podLog(db, turn, pod.id, hide);
    let session: AgentSession | undefined;
    try {
      session = await options.startAgent({
        pod,
        mode: turn.mode,
        confined: pods.confined,
        signal,
        onUpdate,
        room: chunks.room,
        // Where its model is, and what pays for it, no project replaces.
        agent: { ...launched, env: { ...variables.env, ...launched.env } },
        ...(sockets && { sockets }),
        model: sessionModel?.replaceAll('{model}', model),
        ...(resume === undefined ? {} : { resume: resume.id, spentBefore: resume.spent }),
        onNotice: log.line,
        hide,
        onRequest: (request, needless) => {
          chunks.count(request);
          const answer = work.ask(request, needless);
          answer.catch(fail);
          return answer;
        },
      });
      const { sessionId, resumed } = session;
      await keepSession(db, turn, pod.id, sessionId);
      const anew = !resumed || resume?.told !== true;
      const conversation = await readConversation(db, turn, anew);
      const told = tell(conversation, anew);
      await keepToldComments(db, turn, told.comments);
      if (told.given !== undefined)
        await work.append({
          type: 'notice',
          payload: { text: `${whyAnew(fresh, resumed)} ${told.given}.` },
        });
      const instructions = instructionsFor(turn, conversation, {
        resumed,
        pushed,
        setup,
        erp: erp !== undefined,
        network,
      });
      const result = await session.prompt(
        turn.prompt,
        [told.text, instructions].filter(Boolean).join('\n\n') || undefined,
        anew ? given.all : given.ofTurn,
      );
      if (result.stopReason === 'done' || result.text !== '')
        await keepToldSession(db, turn, pod.id, sessionId);
      await gateway?.close();
      await erp?.gateway.close();
      await network?.close();
      await chunks.end();
      await costs.charged();
      work.signal.throwIfAborted();
      if (failed !== undefined) throw failed.error;
      if (result.stopReason !== 'done') throw new TurnFailed(sentenceOf(result));
      return result;
    } catch (error) {
      // What has ended the agent says more than how it has ended.
      throw failed?.error ?? error;
    } finally {
      await session?.close();
      await gateway?.close();
      await erp?.gateway.close();
      await network?.close();
      await appendUse(work, network);
      await log.end();
    }
  }

  /** The gateway to the Odoo servers of a turn, and what the agent learns of it. */
  async function erpOf(turn: Turn, signal: AbortSignal, log: (call: ErpCall) => void) {
    const targets = (await options.erpTargets?.(turn)) ?? [];
    if (targets.length === 0) return undefined;
    const gateway = await openErpGateway({ targets, signal, log });
    const env = {
      GUILDHALL_ERP: described(targets, '{erp_url}'),
      GUILDHALL_ERP_TOKEN: gateway.token,
    };
    const secrets = [gateway.token, ...targets.map(({ secret }) => secret)];
    return { gateway, env, secrets };
  }

  /**
   * What the agent and its commands reach of the network. An agent that reaches its model by itself
   * does so without a proxy where its pod has a network of its own.
   */
  async function networkOf(
    { projectId }: Turn,
    provider: Provider | undefined,
    order: Pick<Parameters<OpenNetwork>[0], 'signal' | 'onRefused'>,
  ): Promise<Network | undefined> {
    if (provider === undefined && !pods.confined) return undefined;
    return options.openNetwork?.({ projectId, purpose: 'agent', ...order });
  }

  return {
    run: (turn, work) =>
      run(turn, work).catch((error) => {
        work.signal.throwIfAborted();
        if (error instanceof AgentError || error instanceof PodError)
          throw new TurnFailed(`${error.message}. Send a message to try again.`, { cause: error });
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

// On GitHub, a head that is another one was pushed by a person. The next look reads its checks.
const pushedByAgent = (taskId: string, head: string) => sql`
  update pull_request pr set head_sha = ${head}, looked_at = null
    from repository r
   where pr.task_id = ${taskId} and pr.state = 'open'
     and r.id = pr.repository_id and r.host = 'github'`;

const LOST =
  'The pod of this task was lost, with everything that had not been committed. The work begins ' +
  'again in a new pod, from the last commit of the task.';
const NOTHING_DONE =
  'Every command and tool that the agent used in this turn failed, and nothing was changed. See ' +
  'what they said, and send a message to try again.';
/** Counts what the turn has used of the network; nothing else depends on it. */
async function appendUse(work: TurnWork, network: Network | undefined): Promise<void> {
  const hosts = network?.used() ?? [];
  if (hosts.length > 0)
    await work.append({ type: 'network', payload: { purpose: 'agent', hosts } }).catch(() => {});
}

function sentenceOf({ stopReason, error }: TurnResult): string {
  if (stopReason === 'max_tokens') return 'The agent reached the limit of its model.';
  if (stopReason === 'refused') return 'The agent refused to go on.';
  if (stopReason === 'cancelled') return 'The agent ended the turn by itself.';
  return error ?? 'The agent failed and did not say why.';
}
