import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** An agent that speaks ACP by hand and does the odd things that real ones do: one a prompt. */

type Message = {
  id?: number;
  method?: string;
  params?: { prompt?: { text: string }[]; modeId?: string; mcpServers?: object[] };
  result?: unknown;
};

const write = (message: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (fields: object) =>
  write({ method: 'session/update', params: { sessionId: 's', update: fields } });
const say = (text: string, messageId?: string) =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, messageId });

let mode: string | undefined;
let mcpServers: object[] | undefined;
let asked = 1000;
const answers = new Map<number, (result: unknown) => void>();
const ask = (params: object): Promise<unknown> =>
  new Promise((resolve) => {
    answers.set(++asked, resolve);
    write({
      id: asked,
      method: 'session/request_permission',
      params: { sessionId: 's', ...params },
    });
  });

const option = (optionId: string, kind: string) => ({ optionId, name: optionId, kind });
const both = [option('yes', 'allow_once'), option('no', 'reject_once')];
const cost = (amount: number) =>
  update({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount, currency: 'USD' } });

const scripts: Record<string, (blocks?: number) => unknown> = {
  invalid() {
    update({
      sessionUpdate: 'tool_call',
      toolCallId: 't',
      kind: 'strange',
      status: 7,
      content: 'x',
    });
    update({ sessionUpdate: 'of_the_future', x: 1 });
    update({ sessionUpdate: 'agent_message_chunk', content: null });
    write({ method: 'session/update', params: null });
    write({ method: '_vendor/note', params: {} });
  },
  mcp: async () => say(JSON.stringify(mcpServers)),
  garbage() {
    process.stdout.write('Loading model…\n{"half": \n[]\n\n{"not": "rpc"}\n');
  },
  permission: async () =>
    say(
      JSON.stringify(
        await ask({ toolCall: { toolCallId: 'p', title: 'Edit a', kind: 'edit' }, options: both }),
      ),
    ),
  outside: async () =>
    say(
      JSON.stringify(
        await ask({
          toolCall: {
            toolCallId: 'o',
            title: 'Edit',
            kind: 'edit',
            locations: [{ path: '/etc/passwd' }],
          },
          options: both,
        }),
      ),
    ),
  twice: async () =>
    say(
      JSON.stringify(
        await ask({
          toolCall: { toolCallId: 'q', title: 'Deploy', kind: 'other' },
          options: [...both, ...both],
        }),
      ),
    ),
  unrefusable: async () =>
    say(
      JSON.stringify(
        await ask({
          toolCall: { toolCallId: 'r', title: 'Run', kind: 'execute' },
          options: [option('yes', 'allow_once')],
        }),
      ),
    ),
  /** The mode that was set. */
  modes: () => say(String(mode)),
  /** Calls tools, of which none works. */
  fails() {
    update({ sessionUpdate: 'tool_call', toolCallId: 'a', title: 'ls', kind: 'execute' });
    update({ sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'failed' });
    update({ sessionUpdate: 'tool_call', toolCallId: 'b', title: 'cat', status: 'failed' });
    say('I could not do it.');
  },
  /** The same, but one works. */
  works() {
    scripts.fails?.();
    update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'cat', status: 'completed' });
  },
  todos() {
    const todos = [
      { content: 'one', status: 'completed' },
      { content: 'two', status: 'odd' },
    ];
    update({
      sessionUpdate: 'tool_call',
      toolCallId: 'w',
      title: 'TodoWrite',
      rawInput: { todos },
    });
  },
  costs() {
    for (const amount of [0.1, 0.1 + 0.2, 0.1 + 0.2, Number.NaN, -1]) cost(amount);
  },
  /** Reports what its session has cost in all its processes: $0.40 more each time. */
  total() {
    const kept = join(process.env.HOME ?? '.', 'total');
    const before = existsSync(kept) ? Number(readFileSync(kept, 'utf8')) : 0;
    writeFileSync(kept, String(before + 0.4));
    cost(before + 0.4);
    say('Done.');
  },
  message() {
    say('I look first.');
    update({ sessionUpdate: 'tool_call', toolCallId: 'x', title: 'Read', kind: 'read' });
    say('The ');
    say('plan.');
  },
  /** A message with a name, with a notice without one before, in and after it. */
  named() {
    say('Checking the settings. ');
    say('I look first.', 'one');
    say('The ', 'two');
    say('A new version is there. ');
    say('plan.', 'two');
    say('Your limit is near.');
  },
  /** A message in many pieces, longer than what is kept of one. */
  long() {
    for (let n = 0; n < 11_000; n++) say(`${String(n).padStart(39)} `);
  },
  empty() {
    say('The plan.');
    update({ sessionUpdate: 'tool_call', toolCallId: 'x', title: 'Read', kind: 'read' });
    say('');
  },
  error() {
    throw new Error('The model does not exist.');
  },
  exit: () => process.exit(3),
  /** Tool output without end, as fast as it is read. */
  async flood(blocks = 1) {
    const block = { type: 'content', content: { type: 'text', text: 'x'.repeat(32_000) } };
    const content = Array.from({ length: blocks }, () => block);
    for (;;) {
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'f', content });
      if (process.stdout.writableNeedDrain)
        await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  },
  torrent: () => scripts.flood?.(100),
  /** Questions without end. */
  async asks() {
    for (;;) {
      void ask({
        toolCall: { toolCallId: 'o', title: 'a', locations: [{ path: '/a' }] },
        options: both,
      });
      if (process.stdout.writableNeedDrain)
        await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  },
  /** Says what each address of URLS answers. */
  async fetches() {
    for (const url of (process.env.URLS ?? '').split(' '))
      say(
        await fetch(url).then(
          (answer) => `${url} ${answer.status}\n`,
          () => `${url} failed\n`,
        ),
      );
  },
  /** Connects to each MCP server that it was given by HTTP, as real agents do, and calls a tool. */
  async connects() {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    for (const { name, url, headers } of (mcpServers ?? []) as Remote[])
      try {
        const client = new Client({ name: 'scripted', version: '1.0.0' });
        const sent = Object.fromEntries(headers.map((each) => [each.name, each.value]));
        await client.connect(
          new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: sent } }),
        );
        const { tools } = await client.listTools();
        const { content } = await client.callTool({ name: 'list_workspaces', arguments: {} });
        say(`${name}: ${tools.length} tools, ${JSON.stringify(content)}\n`);
        await client.close();
      } catch (error) {
        say(`${name} failed: ${String(error)}\n`);
      }
  },
  never: () => new Promise(() => undefined),
};

interface Remote {
  name: string;
  url: string;
  headers: { name: string; value: string }[];
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result } = JSON.parse(line) as Message;
  if (method === undefined) {
    answers.get(id as number)?.(result);
    return;
  }
  if (method === 'initialize' && process.argv[2] === 'silent') return;
  const loadSession = process.argv[2] === 'total';
  const mcpCapabilities = { http: process.argv[2] === 'connects' };
  if (method === 'initialize')
    write({
      id,
      result: { protocolVersion: 1, agentCapabilities: { loadSession, mcpCapabilities } },
    });
  if (method === 'session/load') write({ id, result: {} });
  if (method === 'session/new') {
    mcpServers = params?.mcpServers;
    const modes = { availableModes: [{ id: 'read-only' }, { id: 'all' }], currentModeId: 'all' };
    write({ id, result: { sessionId: 's', ...(process.argv[2] === 'modes' ? { modes } : {}) } });
  }
  if (method === 'session/set_mode') {
    mode = params?.modeId;
    write({ id, result: {} });
  }
  if (method !== 'session/prompt') return;
  try {
    await scripts[process.argv[2] ?? params?.prompt?.[0]?.text ?? '']?.();
    write({ id, result: { stopReason: 'end_turn' } });
  } catch (error) {
    write({ id, error: { code: -32603, message: (error as Error).message } });
  }
});
