import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startPeer } from '../../testing/clients/peer.ts';
import { LOCALHOST } from '../../testing/fakes/mail-server/certificates.ts';
import { startNameServer } from '../../testing/fakes/name-server.ts';
import { builtTasks } from '../../testing/fixtures/code/built-tasks.ts';
import { agentsAtWork } from '../../testing/fixtures/runner/agents-at-work.ts';
import { LOOPBACK } from '../../testing/fixtures/runner/network.ts';
import { podKinds } from '../../testing/fixtures/runner/pod-drivers.ts';
import { withoutSandbox } from '../../testing/fixtures/runner/pods.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { versionOf } from '../../testing/processes/programs.ts';
import { runCommand } from '../worker/commands/run-command.ts';
import { networkOf } from './network.ts';

/** The network as programs in pods find it: by the variables that they read. */

const harness = await startHarness({ own: true });
const { db, fixtures, request } = harness;
const noSandbox = await withoutSandbox();
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const { built } = await builtTasks(harness, owner, workspace);
// Nothing that is committed says what is reached.
const BUILD_FILE = JSON.stringify({ network: { checks: ['evil.example'] }, checks: [] });
const { projectId, head } = await built({ 'a.txt': 'one\n', '.guildhall.yml': BUILD_FILE });

const plain = await startPeer((_, response) => response.end('hello'));
const secure = await startPeer((_, response) => response.end('secret'), { tls: LOCALHOST });
const dns = await startNameServer(() => ['127.0.0.1']);
const here = { privateNetworks: [LOOPBACK], dnsServers: [dns.address], fixed: [] };
const listed = [`plain.example:${plain.port}`, `secure.example:${secure.port}`];
const [PLAIN, SECURE] = [`http://${listed[0]}`, `https://${listed[1]}`];
const openNetwork = networkOf(db, {
  ...here,
  hosts: { setup: [], agent: listed, checks: listed, deploy: [] },
});

// Built-in `fetch` of the machine's own Node.js may be too old to know proxies.
const PROGRAMS = `
curl -sS ${PLAIN}/curl; echo
curl -sSk ${SECURE}/curl; echo
wait_for() { "$@" >/dev/null 2>&1 || true; }
wait_for $(command -v ${process.execPath} || command -v node) -e "fetch('${PLAIN}/node')"
wait_for git -c http.sslVerify=false ls-remote ${SECURE}/git
wait_for npm view left-pad --registry ${PLAIN}/npm --fetch-retries 0
echo "java \${MAVEN_OPTS%% *}$(echo "$MAVEN_OPTS $GRADLE_OPTS" | tr -cd '{') home $HOME"
curl -sS http://evil.example/ ; echo
curl -sS https://evil.example/ ; curl -sS https://evil.example/x
curl -sS --noproxy '*' --max-time 2 ${PLAIN}/direct
HTTPS_PROXY=http://guildhall:other@127.0.0.1:1 curl -sS http://10.0.0.1/
exit 0
`;

const withoutCurl =
  (await versionOf('curl', ['--version'])) === undefined && 'curl is not installed';

for (const { name, skip, make } of podKinds)
  test(`${name}: programs reach the hosts of the list, and the others are named once`, {
    skip: withoutCurl || skip,
    timeout: 180_000,
  }, async (t) => {
    const driver = await make(t);
    const before = [plain.received.length, secure.received.length] as const;
    const { conclusion, log } = await runCommand(
      { driver, directory: harness.repositories, openNetwork },
      {
        podId: randomUUID(),
        projectId,
        commit: head,
        purpose: 'checks',
        run: PROGRAMS,
        timeout: 120_000,
        variables: { env: {}, secrets: [] },
        env: {},
      },
      { signal: new AbortController().signal },
    );
    assert.equal(conclusion, 'success', log);
    assert.match(log, /hello\nsecret\n/);
    assert.match(log, /^java -Duser\.home=(\/\S+) home \1$/m);
    const ofPlain = plain.received.slice(before[0]);
    const ofSecure = secure.received.slice(before[1]);
    for (const path of ['/curl', '/node', '/npm/left-pad'])
      assert.ok(ofPlain.includes(`GET ${path}`), `${path} of ${ofPlain} ${log}`);
    for (const path of ['/curl', '/git/info/refs?service=git-upload-pack'])
      assert.ok(ofSecure.includes(`GET ${path}`), `${path} of ${ofSecure} ${log}`);
    const refused = log.match(/^\[network\] .* was refused: .*$/gm);
    assert.deepEqual(refused, [
      "[network] evil.example:80 was refused: it is not on this project's list for checks. An admin of the project can add it.",
      "[network] evil.example:443 was refused: it is not on this project's list for checks. An admin of the project can add it.",
      "[network] 10.0.0.1:80 was refused: it is not on this project's list for checks. Only the operator of this server can open it.",
    ]);
    assert.match(
      log,
      /\[network\] plain.example:\d+: \d+ requests, \d+ bytes sent, \d+ received\n/,
    );
    if (driver.confined) assert.ok(!ofPlain.includes('GET /direct'));
    assert.doesNotMatch(log, /evil.example.*bytes/);
  });

interface Used {
  purpose: string;
  hosts: { host: string; requests: number }[];
}

const fakes = join(import.meta.dirname, '../../testing/fakes');

test('an agent reaches what the project lists by then, and a turn says what it used', {
  skip: noSandbox,
}, async () => {
  const URLS = [`${PLAIN}/agent`, 'http://docs.example/', 'http://evil.example/'].join(' ');
  const { task, work, queue, eventsOf } = await agentsAtWork(harness, {
    sandbox: 'required',
    openNetwork,
    agentOf: () => ({
      agent: {
        id: 'fetches',
        command: 'node',
        args: [join(fakes, 'scripted-agent.ts'), 'fetches'],
        env: { URLS },
        readable: [fakes],
      },
      provider: undefined,
      modelId: 'sandbox',
      model: 'sandbox',
      sessionModel: undefined,
      costOf: () => 0n,
    }),
  });
  const { id, owner: admin } = await task();
  const { project_id } = await db.one<{ project_id: string }>(sql`
      select project_id from task where id = ${id}`);
  const turn = async () => {
    const before = (await eventsOf(id)).length;
    await queue(id, 'plan', 'Look');
    await until('it has ended', async () =>
      (await eventsOf(id)).slice(before).some(({ type }) => type === 'turn_ended'),
    );
    const events = (await eventsOf(id)).slice(before);
    const of = (wanted: string) =>
      events
        // Its agent cannot load a session, which is told, too.
        .filter(({ type, text }) => type === wanted && !text?.startsWith('The agent begins'))
        .map(({ type: _, ...payload }) => payload);
    return { said: JSON.stringify(of('message')), notices: of('notice'), used: of('network') };
  };
  const notice = (host: string) => ({
    text: `${host}:80 was refused: it is not on this project's list for agents. An admin of the project can add it.`,
    network: { host, port: 80, because: 'not_listed', purpose: 'agent', allow: host },
  });
  const worker = work();
  const first = await turn();
  assert.match(first.said, /agent 200.*docs.example\/ 403.*evil.example\/ 403/);
  assert.deepEqual(first.notices, [notice('docs.example'), notice('evil.example')]);
  const [{ purpose, hosts }, ...more] = first.used as Used[] as [Used];
  assert.deepEqual(
    [purpose, hosts.map(({ host, requests }) => [host, requests]), more],
    ['agent', [[listed[0], 1]], []],
  );
  const path = `/api/projects/${project_id}/network`;
  const body = { agent: ['docs.example'] };
  assert.equal((await request('PUT', path, { key: admin.key, body })).status, 200);
  const second = await turn();
  // Nothing answers there, and nothing refuses it.
  assert.match(second.said, /docs.example\/ 502.*evil.example\/ 403/);
  assert.deepEqual(second.notices, [notice('evil.example')]);
  // It would take the turns of other tests.
  await worker.close();
});

test("a host that the setup of a task's pod does not reach is a notice of the task, once, beside its log", {
  skip: withoutCurl || noSandbox,
}, async () => {
  const { task, work, queue, eventsOf } = await agentsAtWork(harness, {
    sandbox: 'required',
    openNetwork,
  });
  const { id, owner: admin } = await task();
  const { project_id } = await db.one<{ project_id: string }>(sql`
    select project_id from task where id = ${id}`);
  const setup = 'curl -sS http://evil.example/ http://evil.example/again; exit 3';
  const path = `/api/projects/${project_id}/environment`;
  assert.equal((await request('PUT', path, { key: admin.key, body: { setup } })).status, 200);
  const worker = work();
  await queue(id, 'plan', 'Look');
  await until('it has ended', async () =>
    (await eventsOf(id)).some(({ type }) => type === 'turn_ended'),
  );
  const events = (await eventsOf(id)).map(({ type, ...payload }) => ({ type, payload }));
  const text =
    "evil.example:80 was refused: it is not on this project's list for the setup. An admin of the project can add it.";
  const network = {
    host: 'evil.example',
    port: 80,
    because: 'not_listed',
    purpose: 'setup',
    allow: 'evil.example',
  };
  assert.deepEqual(
    events.filter(({ type }) => type === 'notice').map(({ payload }) => payload),
    [{ text, network }],
  );
  const ended = events.filter(({ type }) => type === 'setup').at(-1);
  assert.ok(ended);
  const { conclusion, log } = ended.payload as unknown as { conclusion: string; log: string };
  assert.equal(conclusion, 'failure');
  assert.equal(log.split(`[network] ${text}\n`).length, 2, log);
  await worker.close();
});

test('an agent in a confined pod connects to a remote MCP server through the proxy, with its header, and calls a tool', {
  skip: noSandbox,
}, async () => {
  // The server that it connects to is this one: it has real tools behind real keys.
  const mcp = `mcp.example:${new URL(harness.url).port}`;
  const { task, work, queue, eventsOf } = await agentsAtWork(harness, {
    sandbox: 'required',
    openNetwork: networkOf(db, {
      ...here,
      hosts: { setup: [], agent: [mcp], checks: [], deploy: [] },
    }),
    agentOf: () => ({
      agent: {
        id: 'connects',
        command: 'node',
        args: [join(fakes, 'scripted-agent.ts'), 'connects'],
        env: {},
        readable: [fakes, join(import.meta.dirname, '../../../node_modules')],
      },
      provider: undefined,
      modelId: 'sandbox',
      model: 'sandbox',
      sessionModel: undefined,
      costOf: () => 0n,
    }),
  });
  const { id, owner: by } = await task();
  const { project_id } = await db.one<{ project_id: string }>(sql`
    select project_id from task where id = ${id}`);
  const server = (name: string, url: string, key: string) =>
    fixtures.mcpServer(project_id, {
      by,
      name,
      url,
      headers: { Authorization: `Bearer ${key}` },
      turns: ['plan'],
    });
  await server('here', `http://${mcp}/mcp`, by.key);
  await server('refused', `http://${mcp}/mcp`, `gld_${'0'.repeat(38)}`);
  work();
  await queue(id, 'plan', 'Look');
  await until('it has ended', async () =>
    (await eventsOf(id)).some(({ type }) => type === 'turn_ended'),
  );
  const events = await eventsOf(id);
  const said = events
    .filter(({ type }) => type === 'message')
    .map(({ text }) => text)
    .join('');
  assert.match(said, /here: 29 tools, .*items/);
  assert.match(said, /refused failed: /);
  const [used] = events.filter(({ type }) => type === 'network') as unknown as Used[];
  assert.deepEqual(
    used?.hosts.map(({ host }) => host),
    [mcp],
  );
});
