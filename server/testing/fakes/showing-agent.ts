import { mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** An agent that speaks ACP by hand, and shows the variable TOKEN of its environment in many ways. */

const write = (message: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (fields: object) =>
  write({ method: 'session/update', params: { sessionId: 's', update: fields } });
const say = (text: string) =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

/** What it was told in a turn before, or has found by itself. */
const KNOWN = process.argv[2] ?? '';

function show(): void {
  const { TOKEN, PLAIN, ANTHROPIC_BASE_URL, DEPLOY_KEY } = process.env;
  const token = TOKEN ?? KNOWN;
  update({
    sessionUpdate: 'tool_call',
    toolCallId: `call ${token}`,
    title: `curl -H ${token}`,
    kind: 'execute',
    locations: [{ path: `/${token}` }],
    content: [{ type: 'content', content: { type: 'text', text: btoa(`user:${token}`) } }],
  });
  update({ sessionUpdate: 'plan', entries: [{ content: `use ${token}` }] });
  process.stderr.write(`${token}\r\n${encodeURIComponent(token)}\nat the end ${token}`);
  for (const character of `I have ${token}`) say(character);
  say(` and ${token.slice(0, 5)}`);
  say(`${token.slice(5)}. ${JSON.stringify({ TOKEN: TOKEN !== undefined, PLAIN, DEPLOY_KEY })}`);
  say(` at ${ANTHROPIC_BASE_URL}`);
  try {
    writeFileSync('work.txt', 'done');
    mkdirSync('.guildhall/artifacts', { recursive: true });
    writeFileSync(`.guildhall/artifacts/${token}.txt`, `a file with ${token}, ${token}`);
  } catch {
    // The work tree of a plan turn is read-only.
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line) as { id?: number; method?: string };
  if (method === 'initialize')
    write({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: false } } });
  if (method === 'session/new') write({ id, result: { sessionId: 's' } });
  if (method !== 'session/prompt') return;
  show();
  write({ id, result: { stopReason: 'end_turn' } });
});
