import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentFields, Api } from '../../platform/catalog/agent-fields.ts';
import { startProvider } from '../fakes/model-provider/provider.ts';
import { AGENTS, type InstalledAgent, installed } from '../fixtures/runner/installed-agents.ts';
import { scriptedModel } from '../fixtures/runner/scripted-model.ts';
import { Refusal, type Values } from './options.ts';

/** Which agent is tried, with which model, and what a server has to know for that. */

/** Ready agents: as they are named here, and in the catalog. */
export const NAMES: Readonly<Record<string, string>> = {
  opencode: 'opencode',
  claude: 'claude-agent-acp',
  codex: 'codex',
  qwen: 'qwen-code',
  gemini: 'gemini',
};
const PACKAGES: Readonly<Record<string, string>> = {
  opencode: 'opencode-ai',
  claude: '@agentclientprotocol/claude-agent-acp',
  codex: '@agentclientprotocol/codex-acp',
  qwen: '@qwen-code/qwen-code',
  gemini: '@google/gemini-cli',
};
const PROVIDERS: Readonly<Record<Api, { key: string; url: string }>> = {
  openai: { key: 'OPENAI_API_KEY', url: 'https://api.openai.com/v1' },
  anthropic: { key: 'ANTHROPIC_API_KEY', url: 'https://api.anthropic.com' },
  gemini: { key: 'GEMINI_API_KEY', url: 'https://generativelanguage.googleapis.com' },
};
/** One that Gemini CLI knows; the others take any. */
const SCRIPTED_MODEL = 'gemini-2.5-pro';

export interface Trial {
  agent: string;
  version: string | undefined;
  api: Api | undefined;
  model: string | undefined;
  /** Of the catalog file; undefined for the default one. */
  catalog: object | undefined;
  env: Record<string, string>;
  /** How many answers a scripted model has given; undefined for a provider. */
  answers(): number | undefined;
  end(): Promise<void>;
}

/** Throws Refusal. */
export async function prepare(values: Values): Promise<Trial> {
  const { agent: name = '' } = values;
  const end = async () => {};
  if (name === 'sandbox')
    return {
      agent: name,
      version: undefined,
      api: undefined,
      model: name,
      catalog: undefined,
      env: {},
      answers: () => undefined,
      end,
    };
  const known = AGENTS.find(({ id }) => id === NAMES[name]);
  if (known === undefined)
    throw new Refusal(`--agent must be one of ${Object.keys(NAMES).join(', ')} or sandbox.`);
  const api = apiOf(name, known, values.api);
  const prices = pricesOf(values.prices ?? (values.scripted ? '1,10' : '0,0'));
  const key = values['key-env'] ?? PROVIDERS[api].key;
  const secret = process.env[key]?.trim() ?? '';
  if (values.scripted !== true && secret === '')
    throw new Refusal(
      `There is no key: set ${key}, or name another variable with --key-env. With --scripted, no ` +
        'key is needed.',
    );
  const { model = values.scripted === true ? SCRIPTED_MODEL : undefined } = values;
  if (model === undefined)
    throw new Refusal('--model is missing: name a model as your provider does.');
  const entry = installed(known, values.folder === undefined ? [] : [values.folder]);
  if (entry === undefined)
    throw new Refusal(
      `${known.program} is not installed: run \`npm install ${PACKAGES[name]}\` in an empty ` +
        'folder, and name that with --folder.',
    );
  const begun = { agent: entry.id, version: await versionOf(entry.command ?? ''), api, model };
  if (values.scripted !== true) {
    const url = values['base-url'] ?? PROVIDERS[api].url;
    return {
      ...begun,
      catalog: catalogOf({ api, url, key, model, entry, prices }),
      env: { [key]: secret },
      answers: () => undefined,
      end,
    };
  }
  const provider = await startProvider({ reply: scriptedModel(known) });
  const url = api === 'openai' ? `${provider.url}/v1` : provider.url;
  const env = { TRIAL_KEY: 'a-scripted-model-takes-any-key' };
  const catalog = catalogOf({ api, url, key: 'TRIAL_KEY', model, entry, prices });
  const answers = () => provider.requests.filter(({ method }) => method === 'POST').length;
  return { ...begun, catalog, env, answers, end: provider.close };
}

function apiOf(name: string, { api }: InstalledAgent, wanted: string | undefined): Api {
  if (wanted === undefined || wanted === api) return api;
  if (name === 'opencode' && (wanted === 'anthropic' || wanted === 'gemini')) return wanted;
  throw new Refusal(
    `--api: ${name} speaks ${name === 'opencode' ? 'openai, anthropic or gemini' : api}.`,
  );
}

function pricesOf(text: string): { input: string; output: string } {
  const both = text.split(',');
  if (both.length !== 2 || both.some((price) => !/^\d{1,6}(\.\d{1,6})?$/.test(price)))
    throw new Refusal('--prices must be two amounts, such as 3.00,15.00.');
  const [input, output] = both.map((price) => Number(price).toFixed(6));
  return { input: input as string, output: output as string };
}

function catalogOf(of: {
  api: Api;
  url: string;
  key: string;
  model: string;
  entry: AgentFields;
  prices: { input: string; output: string };
}) {
  const { api, url, key, model, entry, prices } = of;
  return {
    providers: [{ id: 'trial', api, base_url: url, key: { env: key } }],
    agents: [entry],
    models: [
      {
        id: 'trial',
        name: 'Trial',
        agent: entry.id,
        provider: 'trial',
        model,
        prices,
        is_default: true,
      },
    ],
  };
}

/** What the package of a program calls itself. */
async function versionOf(command: string): Promise<string | undefined> {
  for (let folder = dirname(realpathSync(command)); folder !== '/'; folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
    const { name, version } = text === undefined ? {} : JSON.parse(text);
    if (name !== undefined && version !== undefined) return `${name} ${version}`;
  }
  return undefined;
}
