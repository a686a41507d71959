import { execFileSync } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * An agent that speaks ACP by hand and has no model. It makes the calls that the prompt holds as
 * JSON, `[["res.partner", "search_count", {"domain": []}]]`, at its first Odoo, and tells what came
 * of each, and all that a process of its pod can see.
 */

const { GUILDHALL_ERP = '[]', GUILDHALL_ERP_TOKEN = '' } = process.env;
const [odoo] = JSON.parse(GUILDHALL_ERP);

const write = (message: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

async function call([model, method, body]: [string, string, object]): Promise<string> {
  const answer = await fetch(`${odoo.url}/json/2/${model}/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${GUILDHALL_ERP_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return `${answer.status} ${(await answer.text()).slice(0, 300)}`;
}

const LOOK = 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null; true';

async function prompt(text: string): Promise<string> {
  const said = [`ERP: ${GUILDHALL_ERP}`];
  for (const each of JSON.parse(/\[\[.*\]\]/.exec(text)?.[0] ?? '[]')) said.push(await call(each));
  const seen = execFileSync('sh', ['-c', LOOK], { encoding: 'latin1' });
  return [...said, `planted: ${seen.includes('planted')}`].join('\n');
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') write({ id, result: { protocolVersion: 1 } });
  if (method === 'session/new') write({ id, result: { sessionId: 's' } });
  if (method !== 'session/prompt') return;
  const text = await prompt(params.prompt.map((part: { text: string }) => part.text).join('\n'));
  const content = { type: 'text', text };
  const update = { sessionUpdate: 'agent_message_chunk', content };
  write({ method: 'session/update', params: { sessionId: 's', update } });
  write({ id, result: { stopReason: 'end_turn' } });
});
