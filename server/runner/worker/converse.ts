import type { Database } from '../../db/database/database.ts';
import { described, type ErpCall, openErpGateway, type TargetsOf } from '../../erp/index.ts';
import type { ModelLimits, Provider } from '../../platform/catalog/agent-fields.ts';
import type { PodDriver } from '../../platform/pods/pod.ts';
import type { Variables } from '../../platform/variables/variables-of.ts';
import { hiding, type ValueHiding } from '../../telemetry/hide-secrets.ts';
import type {
  AgentCommand,
  AgentSession,
  AgentUpdate,
  StartAgent,
  TurnResult,
  Usage,
} from '../agents/agent.ts';
import { openGateway } from '../gateway/gateway.ts';
import { reaching } from '../gateway/launch.ts';
import type { Network, OpenNetwork } from '../network/network.ts';
import { agentCosts } from './agent-costs.ts';
import type { GivenFiles } from './attachments.ts';
import { gatherChunks } from './chunks.ts';
import type { Turn } from './claim.ts';
import { instructionsFor, whyAnew } from './conversation/instructions.ts';
import { keepToldComments, keepToldSession } from './conversation/keep-told.ts';
import { readConversation } from './conversation/read-conversation.ts';
import { tell } from './conversation/tell.ts';
import type { SetupEnd } from './environment/environment.ts';
import { hidingChunks, secretsOf } from './hiding.ts';
import { mcpServersOf } from './mcp-servers.ts';
import { podLog } from './pod-log.ts';
import { keepSession, type TaskPod } from './pods.ts';
import { TurnFailed, type TurnWork } from './runner.ts';
import type { ToolCalls } from './tool-calls.ts';

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

export interface ConverseOptions {
  pods: PodDriver;
  startAgent(options: StartAgent): Promise<AgentSession>;
  /** The Odoo servers that the agent of a turn may use; none by default. */
  erpTargets?: TargetsOf;
  /** What the agent of a turn should know of Odoo, as sentences; undefined in other projects. */
  odooOf?: ((turn: Pick<Turn, 'taskId'>) => Promise<string | undefined>) | undefined;
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

/**
 * Makes what lets the agent of a turn converse: with the gateway to its model, the one to the ERP
 * systems of the turn and the proxy to the network. The agent and its processes have ended when a
 * conversation settles.
 */
export function conversing(db: Database, options: ConverseOptions) {
  const { pods } = options;

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

  return async function converse(
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
      const mcpServers = await mcpServersOf(db, turn, {
        variables,
        network,
        onLeftOut: (payload) => chunks.event({ type: 'notice', payload }),
      });
      session = await options.startAgent({
        pod,
        mcpServers,
        onUnusable: ({ name }) =>
          notice(`The MCP server ${name} is not used: this agent connects to none by HTTP.`),
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
        odoo: await options.odooOf?.(turn),
        network,
      });
      const result = await session.prompt(
        turn.prompt,
        [told.text, instructions].filter(Boolean).join('\n\n') || undefined,
        anew ? given.all : given.ofTurn,
      );
      if (result.stopReason === 'done' || result.text !== '')
        await keepToldSession(db, turn, pod.id, sessionId);
      // Only answers of its model are still read to their end.
      await Promise.all([erp?.gateway.close(), network?.close()]);
      await (result.stopReason === 'done' ? gateway?.finish() : gateway?.close());
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
  };
}

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
