import { realpathSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { createClient } from '../../../client/src/index.ts';
import { removeOutside } from '../../db/embedded/outside.ts';
import { sql } from '../../db/sql.ts';
import { createKey } from '../../identity/keys/keys.ts';
import { createUser } from '../../identity/users/users.ts';
import { type Server, start } from '../../main/start.ts';
import type { AgentFields, Api } from '../../platform/catalog/agent-fields.ts';
import { ConfigError, readConfig } from '../../platform/config/config.ts';
import { startProvider } from '../fakes/model-provider/provider.ts';
import { AGENTS, type InstalledAgent, installed } from '../fixtures/runner/installed-agents.ts';
import { CHANGE, scriptedModel } from '../fixtures/runner/scripted-model.ts';
import { journey, type Step } from './journey.ts';

/** `npm run agents:try`: one agent that is ready, from a message to a merge, on a server of its own. */

const HELP = `npm run agents:try -- --agent NAME --model MODEL [options]

Starts a server on a temporary database, and lets one agent do a small task with your key: plan,
change the plan, build, pull request, merge. Prints what was seen, with times and costs.
It asks your provider for a few answers, which cost a few cents. Nothing of it is kept.

  --agent NAME     opencode, claude, codex, qwen or gemini; sandbox needs no model
  --model MODEL    as your provider names it
  --key-env NAME   the variable with the key of your provider; by default OPENAI_API_KEY,
                   ANTHROPIC_API_KEY or GEMINI_API_KEY, as the agent's API has it
  --base-url URL   where the provider is; by default that of OpenAI, Anthropic or Google
  --api API        for opencode: openai, anthropic or gemini (openai by default)
  --prices IN,OUT  USD for a million tokens of input and output; without it only tokens are told
  --folder PATH    where npm has installed the agent, beside the PATH
  --minutes N      how long all of it may take (15)
  --scripted       with a scripted model of this machine in place of a provider: needs no key
  --json           prints one JSON object
  --help
`;

const NAMES: Readonly<Record<string, string>> = {
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

/** What cannot be begun, as a sentence. */
class Refusal extends Error {}

interface Trial {
  agent: string;
  version: string | undefined;
  api: Api | undefined;
  model: string | undefined;
  /** Of the catalog file; undefined for the default one. */
  catalog: object | undefined;
  env: Record<string, string>;
  end(): Promise<void>;
}

function options() {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      options: {
        agent: text,
        model: text,
        'key-env': text,
        'base-url': text,
        api: text,
        prices: text,
        folder: text,
        minutes: text,
        scripted: flag,
        json: flag,
        help: flag,
      },
    }).values;
  } catch (error) {
    throw new Refusal((error as Error).message);
  }
}

type Values = ReturnType<typeof options>;

async function prepare(values: Values): Promise<Trial> {
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
      end,
    };
  }
  const provider = await startProvider({ reply: scriptedModel(known) });
  const url = api === 'openai' ? `${provider.url}/v1` : provider.url;
  const env = { TRIAL_KEY: 'a-scripted-model-takes-any-key' };
  const catalog = catalogOf({ api, url, key: 'TRIAL_KEY', model, entry, prices });
  return { ...begun, catalog, env, end: provider.close };
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

/** Runs it on a server of its own. */
async function tryOut(trial: Trial, values: Values) {
  const { agent, version, api, model } = trial;
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-try-'));
  await chmod(directory, 0o755); // as root, PostgreSQL and the users of pods have to pass
  const steps: Step[] = [];
  const say = (line: string) => values.json === true || console.log(line);
  let server: Server | undefined;
  try {
    const file = join(directory, 'catalog.json');
    if (trial.catalog !== undefined) await writeFile(file, JSON.stringify(trial.catalog));
    const config = readConfig({
      ...trial.env,
      ...(trial.catalog === undefined ? {} : { GUILDHALL_CATALOG: file }),
      PATH: process.env.PATH,
      DATA_DIR: join(directory, 'data'),
      PORT: '0',
      LOG_LEVEL: 'silent',
      BILLING: 'off',
    });
    say(`${version ?? agent} with ${model}: a server begins on a temporary database …`);
    server = await start(config, { tasks: 'here' });
    const person = { email: 'trial@example.com', name: 'Trial' };
    await createUser(server.db, person);
    const { secret = '' } =
      (await createKey(server.db, { email: person.email, name: 'trial' })) ?? {};
    const client = createClient({ baseUrl: server.url, key: secret });
    let failed: string | undefined;
    await journey({
      client,
      message: 'Add the file hello.txt with the text "Hello." to this repository.',
      change: CHANGE,
      timeout: Number(values.minutes ?? 15) * 60_000,
      onStep: (step) => {
        steps.push(step);
        say(`${step.step.padEnd(14)}${step.seconds.toFixed(1).padStart(7)} s  ${step.seen}`);
      },
    }).catch((error: Error) => {
      failed = error.message;
    });
    const seen = await whatWasSeen(server);
    return { agent, version, api, model, ok: failed === undefined, failed, steps, ...seen };
  } finally {
    await server?.close();
    await trial.end();
    await removeOutside(join(directory, 'data'));
    await rm(directory, { recursive: true, force: true });
  }
}

/** What the database has of the one task: costs, tokens, tools, notices. */
async function whatWasSeen({ db }: Server) {
  const { cost, input, output } = await db.one<{ cost: bigint; input: bigint; output: bigint }>(sql`
    select coalesce(sum(amount), 0)::bigint as cost,
           coalesce(sum(input_tokens), 0)::bigint as input,
           coalesce(sum(output_tokens), 0)::bigint as output
      from usage_day where kind = 'model'`);
  const { confined } = await db.one<{ confined: boolean | null }>(sql`
    select bool_and(confined) as confined from pod`);
  const turns = await db.many<{ kind: string; state: string; error: string | null }>(sql`
    select kind, state, error from task_turn order by number`);
  const events = await db.many<{ type: string; payload: string }>(sql`
    select type, payload::text as payload from task_event order by seq`);
  const of = (type: string) =>
    events.filter((event) => event.type === type).map(({ payload }) => JSON.parse(payload));
  const ended = [...of('tool_call'), ...of('tool_call_update')].filter(({ status }) => status);
  return {
    confined,
    turns: turns.map(({ kind, state, error }) => ({ kind, state, ...(error && { error }) })),
    tools: {
      completed: ended.filter(({ status }) => status === 'completed').length,
      failed: ended.filter(({ status }) => status === 'failed').length,
    },
    notices: of('notice').map(({ text }) => String(text)),
    tokens: { input: Number(input), output: Number(output) },
    cost_usd: Number(cost) / 1e9,
  };
}

function report({
  ok,
  failed,
  confined,
  tools,
  tokens,
  cost_usd,
  notices,
}: Awaited<ReturnType<typeof tryOut>>) {
  for (const text of notices) console.log(`notice: ${text}`);
  console.log(`tools: ${tools.completed} worked, ${tools.failed} failed`);
  console.log(`tokens: ${tokens.input} in, ${tokens.output} out; cost: $${cost_usd}`);
  console.log(confined === true ? 'The pod was confined.' : 'The pod was NOT confined.');
  console.log(ok ? 'It works: from a message to a merge.' : `It does not work: ${failed}`);
}

try {
  const values = options();
  if (values.help === true) console.log(HELP);
  else {
    const result = await tryOut(await prepare(values), values);
    if (values.json === true) console.log(JSON.stringify(result, undefined, 2));
    else report(result);
    process.exitCode = result.ok ? 0 : 1;
  }
} catch (error) {
  if (!(error instanceof Refusal || error instanceof ConfigError)) throw error;
  console.error(`${error.message}\nSee npm run agents:try -- --help.`);
  process.exitCode = 2;
}
