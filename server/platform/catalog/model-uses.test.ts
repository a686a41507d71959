import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { getConfig } from '../../identity/account/get-config.ts';
import { ConfigError, checkKeys, readConfig } from '../config/config.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests break catalogs in ways that no type allows.
type Any = any;

const directory = await mkdtemp(join(tmpdir(), 'guildhall-catalog-'));
after(() => rm(directory, { recursive: true }));
const path = join(directory, 'catalog.json');
const KEY = 'sk-s3cret-0123456789';

async function configOf(file: unknown, env: Record<string, string> = { ACME_KEY: KEY }) {
  await writeFile(path, JSON.stringify(file));
  return readConfig({ GUILDHALL_CATALOG: path, BILLING: 'credits', ...env });
}

async function faultsOf(file: unknown): Promise<string[]> {
  const error = await configOf(file).then(
    () => undefined,
    (thrown) => thrown,
  );
  if (error !== undefined && !(error instanceof ConfigError)) throw error;
  return (error?.faults ?? []).map((fault: string) => fault.replace('GUILDHALL_CATALOG: ', ''));
}

const prices = { input: '3.00', output: '15.00' };
const catalog = (): Any => ({
  providers: [
    {
      id: 'acme',
      api: 'openai',
      base_url: 'https://acme.example/v1',
      key: { env: 'ACME_KEY' },
    },
    { id: 'claude', api: 'anthropic', base_url: 'http://127.0.0.1:9' },
  ],
  agents: [
    { id: 'mine', command: '/opt/mine', args: ['--at', '{base_url}'], apis: ['openai'] },
    {
      id: 'opencode',
      command: '/opt/opencode',
      readable: ['/opt'],
      env: [{ name: 'A', value: 'b' }],
    },
    { id: 'alone', command: 'alone', reports_usage: true },
  ],
  models: [
    { id: 'a', name: 'A', agent: 'mine', provider: 'acme', model: 'acme/a-1', prices },
    { id: 'b', name: 'B', agent: 'opencode', provider: 'claude', prices },
    { id: 'c', name: 'C', agent: 'claude-agent-acp', provider: 'claude', prices },
    { id: 'd', name: 'D', agent: 'alone', prices },
    { id: 'e', name: 'E', agent: 'sandbox', prices },
  ],
});

test('each model has its agent, its provider and its name there', async () => {
  const { models } = (await configOf(catalog())).agents;
  const of = (id: string) => models.get(id);
  assert.equal(of('a')?.name, 'acme/a-1');
  assert.equal(of('a')?.provider?.key(), KEY);
  assert.deepEqual(of('a')?.launch?.args, ['--at', '{base_url}']);
  assert.equal(of('b')?.name, 'b');
  assert.equal(of('b')?.provider?.key(), undefined);
  const { command, readable, env } = of('b')?.launch ?? {};
  assert.deepEqual([command, readable, env?.A], ['/opt/opencode', ['/opt'], 'b']);
  assert.match(env?.OPENCODE_CONFIG_CONTENT ?? '', /@ai-sdk\/anthropic/);
  const claude = of('c')?.launch;
  assert.equal(claude?.command, 'claude-agent-acp');
  // People would pay for suggestions that nobody is shown.
  assert.equal(claude?.env.CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION, 'false');
  assert.equal(of('d')?.provider, undefined);
  assert.equal(of('e')?.launch, undefined);
});

test('the example of docs/agents.md is a catalog', async () => {
  const docs = await readFile(join(import.meta.dirname, '../../../docs/agents.md'), 'utf8');
  const example = /\n## Connect an agent\n[^#]*?```json\n(.*?)```/s.exec(docs)?.[1];
  const keys = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, GEMINI_API_KEY: KEY };
  const { agents, catalog: shown } = await configOf(JSON.parse(example ?? ''), keys);
  assert.deepEqual([agents.faults, agents.models.size, shown.models.length], [[], 5, 5]);
  // It would send them to its maker.
  const { env } = agents.models.get('qwen')?.launch ?? {};
  assert.equal(env?.QWEN_USAGE_STATISTICS_ENABLED, 'false');
});

test('a key may be in a file, whose last line end does not count', async () => {
  const file = join(directory, 'key');
  await writeFile(file, `${KEY}\n`);
  const config = await configOf({
    ...catalog(),
    providers: [{ ...catalog().providers[0], key: { file } }, catalog().providers[1]],
  });
  assert.equal(config.agents.models.get('a')?.provider?.key(), KEY);
  assert.deepEqual(config.agents.faults, []);
});

test('a key is in nothing that a configuration prints, and no one is shown where it is', async () => {
  const config = await configOf(catalog());
  const printed = [JSON.stringify(config), inspect(config, { depth: 20, showHidden: true })];
  for (const text of printed) assert.ok(!text.includes(KEY));
  const { responses } = getConfig({ config }) as Any;
  const shown = JSON.stringify(responses[200].example);
  for (const hidden of [KEY, 'ACME_KEY', 'acme', '/opt/opencode', 'provider', 'base_url'])
    assert.ok(!shown.includes(hidden), hidden);
});

test('a missing key stops workers, not the rest; all are listed at once', async () => {
  const file = { ...catalog() };
  file.providers[1].key = { file: join(directory, 'none') };
  const config = await configOf(file, { ACME_KEY: '' });
  assert.throws(
    () => checkKeys(config),
    (error: ConfigError) => {
      const [first = '', second = '', ...rest] = error.faults;
      assert.match(first, /the key of the provider acme is missing: set ACME_KEY$/);
      assert.match(
        second,
        /the key of the provider claude is missing: .*none cannot be read \(ENO/,
      );
      return rest.length === 0;
    },
  );
  const odd = await configOf(catalog(), { ACME_KEY: `${KEY}\nmore` });
  assert.equal(odd.agents.faults.length, 1);
  assert.ok(!odd.agents.faults[0]?.includes('s3cret'));
});

/** One mistake each, where it is found, and what is said of it. */
const mistakes: Record<string, [(c: Any) => void, string, RegExp]> = {
  'an agent that is none': [
    (c) => (c.models[0].agent = 'yours'),
    '/models/0/agent',
    /names no agent: there is sandbox, opencode, .*codex, mine/,
  ],
  'a provider that is none': [
    (c) => (c.models[0].provider = 'other'),
    '/models/0/provider',
    /names no provider: there is acme, claude$/,
  ],
  'no provider for an agent that needs one': [
    (c) => delete c.models[1].provider,
    '/models/1/provider',
    /is required: opencode reaches its model/,
  ],
  'no provider for an agent that reports nothing': [
    (c) => delete c.agents[2].reports_usage,
    '/models/3/provider',
    /must say reports_usage: nothing would be charged/,
  ],
  'a provider for the sandbox': [
    (c) => (c.models[4].provider = 'acme'),
    '/models/4/provider',
    /must be left out/,
  ],
  'a provider of another API': [
    (c) => (c.models[2].provider = 'acme'),
    '/models/2/provider',
    /speaks openai, and the agent claude-agent-acp speaks anthropic/,
  ],
  'an agent that does not learn where its model is': [
    (c) => (c.agents[0].args = []),
    '/models/0/agent',
    /mine needs \{base_url\}/,
  ],
  'a placeholder that is none': [
    (c) => (c.agents[0].args = ['{base_url}', '{key}']),
    '/agents/0/args/1',
    /has \{key\}, which stands for nothing: there is \{base_url\}/,
  ],
  'the sandbox agent': [(c) => (c.agents[0].id = 'sandbox'), '/agents/0/id', /must differ/],
  'no command': [(c) => delete c.agents[0].command, '/agents/0/command', /Field required/],
  'an agent twice': [(c) => c.agents.push(c.agents[0]), '/agents/3/id', /repeats \/agents\/0/],
  'a provider twice': [
    (c) => c.providers.push(c.providers[0]),
    '/providers/2/id',
    /repeats \/providers\/0\/id/,
  ],
  'a variable twice': [
    (c) => c.agents[1].env.push({ name: 'A', value: '' }),
    '/agents/1/env/1/name',
    /repeats/,
  ],
  'an unknown API': [(c) => (c.providers[0].api = 'soap'), '/providers/0/api', /./],
  'an address with a login': [
    (c) => (c.providers[0].base_url = 'https://me:s3cret@acme.example'),
    '/providers/0/base_url',
    /./,
  ],
  'an address with a query': [
    (c) => (c.providers[0].base_url = 'https://acme.example/v1?a=b'),
    '/providers/0/base_url',
    /./,
  ],
  'an address that is none': [
    (c) => (c.providers[0].base_url = 'https://[acme'),
    '/providers/0/base_url',
    /must be an address/,
  ],
  'a key in the file': [(c) => (c.providers[0].key = 's3cret'), '/providers/0/key', /./],
  'a key in two places': [
    (c) => (c.providers[0].key.file = '/key'),
    '/providers/0/key',
    /only one of them/,
  ],
  'a key in no place': [(c) => (c.providers[0].key = {}), '/providers/0/key', /must say env/],
  'a relative folder': [(c) => (c.agents[1].readable = ['opt']), '/agents/1/readable/0', /./],
};

for (const [mistake, [make, pointer, words]] of Object.entries(mistakes)) {
  test(`${mistake} is found at ${pointer}`, async () => {
    const broken = catalog();
    make(broken);
    const [fault = '', ...rest] = await faultsOf(broken);
    assert.ok(fault.startsWith(`${pointer}: `) && rest.length === 0, [fault, ...rest].join('\n'));
    assert.match(fault, words);
    assert.ok(!fault.includes('s3cret'));
  });
}
