import Type, { type Static } from 'typebox';
import { boolean, list, object, oneOf } from '../../http/input/fields.ts';

/**
 * The parts of the catalog file that are shown to no one: which programs the agents are, and where
 * their models are. Keys of providers are not in the file; it says where they are.
 */

/** What providers and agents speak: the shape of requests, answers and errors. */
const APIS = ['openai', 'anthropic', 'gemini'] as const;
export type Api = (typeof APIS)[number];

const api = oneOf(APIS);
const id = (description: string) =>
  Type.String({ maxLength: 50, pattern: '^[0-9A-Za-z][0-9A-Za-z._-]*$', description });
const line = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\u0000-\\u001f]*$' });
/** What an environment variable of an agent may be called. */
const variable = Type.String({ maxLength: 200, pattern: '^[A-Za-z_][A-Za-z0-9_]*$' });

export const providerFields = object({
  id: id('As models name it.'),
  api,
  base_url: Type.String({
    maxLength: 500,
    pattern: '^https?://[^\\s?#@]+$',
    description: 'As the SDKs of its API take it: for `openai` with its `/v1`.',
  }),
  key: Type.Optional(
    object({
      env: Type.Optional(variable),
      file: Type.Optional(line(1_000)),
    }),
  ),
});

export const agentFields = object({
  id: id('As models name it.'),
  command: Type.Optional(Type.String({ maxLength: 1_000, pattern: '^[^\\u0000-\\u001f]+$' })),
  args: Type.Optional(list(line(10_000), { maxItems: 100 })),
  env: Type.Optional(list(object({ name: variable, value: line(10_000) }), { maxItems: 100 })),
  readable: Type.Optional(
    list(Type.String({ maxLength: 1_000, pattern: '^/[^\\u0000-\\u001f]*$' }), { maxItems: 20 }),
  ),
  apis: Type.Optional(list(api, { minItems: 1, maxItems: APIS.length })),
  session_model: Type.Optional(line(200)),
  reports_usage: boolean({ default: false }),
});

export type ProviderFields = Static<typeof providerFields>;
export type AgentFields = Static<typeof agentFields>;

/** How an agent is started. Placeholders (`{model}` and others) are filled in by the gateway. */
export interface Launch {
  id: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  readable: readonly string[];
  /**
   * What sessions call the model; undefined leaves the choice to what the agent was started with.
   */
  sessionModel: string | undefined;
  /**
   * The mode of plan turns where the pod is confined and its work tree read-only: for an agent that
   * sees nothing in a mode of its own that is read-only.
   */
  confinedPlanMode?: string | undefined;
}

/** Where models are. */
export interface Provider {
  id: string;
  api: Api;
  baseUrl: string;
  /** A function, so that no one who prints a configuration prints a key. */
  key: () => string | undefined;
}

/** Tokens of one request to a model; undefined where the catalog does not say. */
export interface ModelLimits {
  /** Of its input. */
  context?: number | undefined;
  /** Of its answer. */
  output?: number | undefined;
}

/** How a model of the catalog is used. */
export interface ModelUse {
  /** Undefined for the sandbox agent. */
  launch: Launch | undefined;
  /** Undefined for an agent that reaches its model by itself. */
  provider: Provider | undefined;
  /** As the provider names it. */
  name: string;
  limits: ModelLimits;
}

/** What workers need of the catalog. */
export interface AgentCatalog {
  /** By the id of the model. */
  models: ReadonlyMap<string, ModelUse>;
  /** Why no worker can start, as sentences: keys that are not there. */
  faults: readonly string[];
  /** Names of the environment variables that hold keys of providers. */
  keyNames: readonly string[];
}
