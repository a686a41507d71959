import { type ClientContext, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import type { StartAgent } from './agent.ts';
import { fields, id, items } from './read-update.ts';

/** The names by which agents know the two modes; the first that an agent offers is taken. */
const MODES = {
  plan: ['plan', 'architect', 'read-only', 'ask'],
  build: ['build', 'code', 'acceptEdits', 'auto-edit', 'default', 'auto'],
};

/**
 * The capabilities that the driver announces: an agent does its own reading, writing and running.
 */
const INITIALIZE = {
  protocolVersion: PROTOCOL_VERSION,
  clientInfo: { name: 'guildhall', version: '1' },
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    elicitation: { form: {} },
  },
};

/**
 * Opens a session, or continues one. What an agent does not offer is left as it is, but not a model
 * that was asked for: work with another one would have another price. Rejects with an Error.
 */
export async function openSession(
  agent: ClientContext,
  options: StartAgent,
): Promise<{ sessionId: string; resumed: boolean }> {
  const { agent: command, pod, mode, confined, model, resume } = options;
  const { hide = (text) => text, onNotice = () => undefined } = options;
  const { agentCapabilities } = fields(await agent.request('initialize', INITIALIZE));
  const mcpServers = serversFor(fields(agentCapabilities).mcpCapabilities, options);
  const request = { cwd: pod.workTree, mcpServers };
  const continued =
    resume !== undefined && fields(agentCapabilities).loadSession === true
      ? await agent
          .request<unknown>(methods.agent.session.load, { ...request, sessionId: resume })
          .then(fields)
          .catch((error) => {
            const why = hide(error instanceof Error ? error.message : String(error));
            onNotice(`The session before could not be loaded: ${why}`.slice(0, 2_000));
            return undefined;
          })
      : undefined;
  const session =
    continued ?? fields(await agent.request<unknown>(methods.agent.session.new, request));
  const sessionId = continued === undefined ? id(session.sessionId) : resume;
  if (sessionId === undefined) throw new Error('it names no session');
  const own = mode === 'plan' && confined ? command.confinedPlanMode : undefined;
  await setMode(agent, sessionId, session, own === undefined ? MODES[mode] : [own]);
  if (model !== undefined) await setModel(agent, sessionId, session, model);
  return { sessionId, resumed: continued !== undefined };
}

/** As ACP writes them. Every agent starts commands; only some speak HTTP. */
function serversFor(
  capabilities: unknown,
  { mcpServers = [], onUnusable = () => undefined }: StartAgent,
): object[] {
  const byHttp = fields(capabilities).http === true;
  return mcpServers.flatMap<object>((server) => {
    if (!('url' in server)) return [{ ...server }];
    if (byHttp) return [{ type: 'http', ...server }];
    onUnusable(server);
    return [];
  });
}

/** The mode is a courtesy: the driver's policy and the read-only tree hold without it. */
async function setMode(
  agent: ClientContext,
  sessionId: string,
  session: Record<string, unknown>,
  wanted: readonly string[],
): Promise<void> {
  const offered = items(fields(session.modes).availableModes).map((one) => id(fields(one).id));
  const modeId = wanted.find((one) => offered.includes(one));
  if (modeId !== undefined) {
    const set = agent.request<unknown>(methods.agent.session.setMode, { sessionId, modeId });
    await set.catch(() => undefined);
    return;
  }
  const option = configOption(session, 'mode');
  const value = wanted.find((one) => option?.values.includes(one));
  if (option !== undefined && value !== undefined)
    await setOption(agent, sessionId, option.id, value).catch(() => undefined);
}

async function setModel(
  agent: ClientContext,
  sessionId: string,
  session: Record<string, unknown>,
  model: string,
): Promise<void> {
  const option = configOption(session, 'model');
  if (option !== undefined) return setOption(agent, sessionId, option.id, model);
  // The way of ACP before configuration options, which most agents still have.
  const { availableModels } = fields(session.models);
  if (availableModels === undefined) return;
  await agent.request<unknown>('session/set_model', { sessionId, modelId: model });
}

async function setOption(
  agent: ClientContext,
  sessionId: string,
  configId: string,
  value: string,
): Promise<void> {
  const method = methods.agent.session.setConfigOption;
  await agent.request<unknown>(method, { sessionId, configId, value });
}

function configOption(session: Record<string, unknown>, category: string) {
  const option = items(session.configOptions)
    .map(fields)
    .find((one) => one.category === category || one.id === category);
  const configId = id(option?.id);
  if (option === undefined || configId === undefined) return undefined;
  const values = items(option.options)
    .map(fields)
    .flatMap((one) => (Array.isArray(one.options) ? one.options.map(fields) : [one]));
  return { id: configId, values: values.map((one) => id(one.value)) };
}
