import { readFileSync } from 'node:fs';
import type { Location } from '../../http/input/error-item.ts';
import type {
  AgentCatalog,
  AgentFields,
  Api,
  Launch,
  ModelUse,
  Provider,
  ProviderFields,
} from './agent-fields.ts';
import { READY_AGENTS } from './ready-agents.ts';

/** How each model of a catalog file is used: its agent, its provider, and whether they fit. */

/** A model of the file, as far as workers need it. */
interface Model {
  id: string;
  agent: string;
  provider?: string;
  model?: string;
  context_tokens?: number;
  output_tokens?: number;
}

interface Parts {
  agents?: AgentFields[];
  providers?: ProviderFields[];
  models: Model[];
}

type Env = Record<string, string | undefined>;
type Fault = [Location, string];

/** The agent that is part of Guildhall and needs no model. */
const SANDBOX = 'sandbox';

/** Each of `errors` is a fault of the file, at its place in it. */
export function modelUses(
  { agents = [], providers = [], models }: Parts,
  env: Env,
): { catalog: AgentCatalog; errors: Fault[] } {
  const faults: string[] = [];
  const found = new Map(providers.map((one) => [one.id, providerOf(one, env, faults)]));
  const errors = [
    ...agents.flatMap((agent, i) => faultsOfAgent(agent, ['agents', i])),
    ...providers.flatMap((provider, i) => faultsOfProvider(provider, ['providers', i])),
  ];
  const uses = new Map<string, ModelUse>();
  const ofModels: Fault[] = [];
  models.forEach((model, i) => {
    const use = useOf(model, agents, found);
    if ('launch' in use) uses.set(model.id, use);
    else ofModels.push([['models', i, use.field], use.fault]);
  });
  // A fault of an agent or a provider would be told again at each of its models.
  const keyNames = providers.flatMap(({ key }) => key?.env ?? []);
  return {
    catalog: { models: uses, faults, keyNames },
    errors: errors.length > 0 ? errors : ofModels,
  };
}

/** The use of a model, or the field of it that does not fit. */
function useOf(
  { id, agent, provider: named, model: name = id, context_tokens, output_tokens }: Model,
  agents: AgentFields[],
  providers: ReadonlyMap<string, Provider>,
): ModelUse | { field: string; fault: string } {
  const provider = named === undefined ? undefined : providers.get(named);
  const limits = { context: context_tokens, output: output_tokens };
  if (named !== undefined && provider === undefined)
    return { field: 'provider', fault: `names no provider: ${oneOf([...providers.keys()])}` };
  if (agent === SANDBOX)
    return named === undefined
      ? { launch: undefined, provider, name, limits }
      : { field: 'provider', fault: 'must be left out: the sandbox agent uses no model' };
  const fields = agents.find((one) => one.id === agent);
  if (fields === undefined && READY_AGENTS[agent] === undefined) {
    const all = new Set([SANDBOX, ...Object.keys(READY_AGENTS), ...agents.map((one) => one.id)]);
    return { field: 'agent', fault: `names no agent: ${oneOf([...all])}` };
  }
  const launch = launchOf(fields ?? { id: agent }, provider?.api);
  if (provider === undefined) {
    if (launch !== undefined && fields?.reports_usage && !asksForGateway(launch))
      return { launch, provider, name, limits };
    return {
      field: 'provider',
      fault:
        launch === undefined || asksForGateway(launch)
          ? `is required: ${agent} reaches its model through a provider`
          : `is required, or else ${agent} must say reports_usage: nothing would be charged`,
    };
  }
  const spoken = fields?.apis ?? Object.keys(READY_AGENTS[agent] ?? {});
  if (spoken.length > 0 && !spoken.includes(provider.api))
    return {
      field: 'provider',
      fault: `speaks ${provider.api}, and the agent ${agent} speaks ${spoken.join(' or ')}`,
    };
  if (launch === undefined || !asksForGateway(launch))
    return {
      field: 'agent',
      fault: `does not learn where its model is: ${agent} needs {base_url} in its args or env`,
    };
  return { launch, provider, name, limits };
}

/** What the file says of an agent goes before what is ready. */
function launchOf(
  { id, command, args, env, readable, session_model }: Partial<AgentFields> & { id: string },
  api: Api | undefined,
): Launch | undefined {
  const all = READY_AGENTS[id] ?? {};
  const ready = api === undefined ? Object.values(all)[0] : all[api];
  const program = command ?? ready?.command;
  if (program === undefined) return undefined;
  const own = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  return {
    id,
    command: program,
    args: args ?? ready?.args ?? [],
    env: { ...ready?.env, ...own },
    readable: readable ?? [],
    sessionModel: session_model ?? ready?.sessionModel,
    ...(ready?.confinedPlanMode && { confinedPlanMode: ready.confinedPlanMode }),
  };
}

const asksForGateway = ({ args, env }: Launch): boolean =>
  [...args, ...Object.values(env)].some((text) => text.includes('{base_url}'));

const PLACEHOLDERS = ['base_url', 'token', 'model'];

function faultsOfAgent(agent: AgentFields, at: Location): Fault[] {
  const { id, command, args = [], env = [], session_model = '' } = agent;
  if (id === SANDBOX) return [[[...at, 'id'], 'must differ from sandbox, which is always there']];
  const texts: [Location, string][] = [
    ...args.map((arg, i): [Location, string] => [[...at, 'args', i], arg]),
    ...env.map(({ value }, i): [Location, string] => [[...at, 'env', i, 'value'], value]),
    [[...at, 'session_model'], session_model],
  ];
  return [
    ...(command === undefined && READY_AGENTS[id] === undefined
      ? [[[...at, 'command'], 'Field required'] satisfies Fault]
      : []),
    ...texts.flatMap(([loc, text]) =>
      [...text.matchAll(/(?<!\$)\{([a-z_]+)\}/g)]
        .filter(([, name = '']) => !PLACEHOLDERS.includes(name))
        .map(
          ([whole]): Fault => [
            loc,
            `has ${whole}, which stands for nothing: ${oneOf(PLACEHOLDERS.map((p) => `{${p}}`))}`,
          ],
        ),
    ),
  ];
}

function faultsOfProvider({ base_url, key }: ProviderFields, at: Location): Fault[] {
  const places = Object.keys(key ?? {}).length;
  return [
    ...(URL.canParse(base_url)
      ? []
      : [
          [[...at, 'base_url'], 'must be an address that begins with https:// or http://'] as Fault,
        ]),
    ...(key !== undefined && places !== 1
      ? [[[...at, 'key'], 'must say env or file, and only one of them'] as Fault]
      : []),
  ];
}

/** A key that cannot be read is added to `faults`. */
function providerOf({ id, api, base_url, key }: ProviderFields, env: Env, faults: string[]) {
  const secret = key === undefined ? undefined : readKey(key, env);
  const wrong = typeof secret === 'object' ? secret.fault : undefined;
  if (wrong !== undefined)
    faults.push(`GUILDHALL_CATALOG: the key of the provider ${id} is missing: ${wrong}`);
  const value = typeof secret === 'string' ? secret : undefined;
  return { id, api, baseUrl: base_url.replace(/\/+$/, ''), key: () => value };
}

/** No message repeats the key, nor the text of the file. */
function readKey(
  { env: name, file }: NonNullable<ProviderFields['key']>,
  env: Env,
): string | { fault: string } {
  try {
    const text = (name === undefined ? readFileSync(file ?? '', 'utf8') : env[name])?.trim();
    if (text === undefined || text === '')
      return { fault: name === undefined ? `${file} is empty` : `set ${name}` };
    // It becomes a header.
    return /^[\x21-\x7e]{1,4096}$/.test(text)
      ? text
      : { fault: `${name ?? file} must hold one line of visible ASCII characters` };
  } catch (error) {
    return { fault: `${file} cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}

const oneOf = (names: string[]): string =>
  names.length === 0 ? 'there is none' : `there is ${names.join(', ')}`;
