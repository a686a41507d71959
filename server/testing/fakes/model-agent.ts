import { createInterface } from 'node:readline';

/**
 * An agent that speaks ACP by hand and asks its model, at MODEL_URL with MODEL_TOKEN, as often as
 * the prompt says: `3 times`, `8 at once`, `max_tokens 100`, `streamed`. With `leave one`, it does not wait
 * for one more, with `max_tokens 777`. It tells what the last answer was, and a cost of its own that
 * is wrong.
 */

const { MODEL_URL = '', MODEL_TOKEN = '', MODEL = '' } = process.env;

const write = (message: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (fields: object) =>
  write({ method: 'session/update', params: { sessionId: 's', update: fields } });

async function askModel(prompt: string): Promise<string> {
  const longest = /max_tokens (\d+)/.exec(prompt)?.[1];
  const answer = await fetch(`${MODEL_URL}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${MODEL_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: MODEL,
      messages: [{ role: 'user', content: 'Hello' }],
      ...(longest === undefined ? {} : { max_tokens: Number(longest) }),
      ...(prompt.includes('streamed') ? { stream: true } : {}),
    }),
  });
  return `${answer.status} ${await answer.text()}`;
}

async function prompt(text: string): Promise<void> {
  const times = Number(/(\d+) times/.exec(text)?.[1] ?? 1);
  const atOnce = Number(/(\d+) at once/.exec(text)?.[1] ?? 1);
  let last = '';
  if (text.includes('leave one')) void askModel('max_tokens 777').catch(() => undefined);
  for (let i = 0; i < times; i += 1) {
    const ask = () => askModel(text).catch((error) => `no answer: ${error}`);
    last = (await Promise.all(Array.from({ length: atOnce }, ask))).at(-1) ?? '';
  }
  update({ sessionUpdate: 'usage_update', cost: { amount: 9.99, currency: 'USD' } });
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: last } });
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') write({ id, result: { protocolVersion: 1 } });
  if (method === 'session/new') write({ id, result: { sessionId: 's' } });
  if (method !== 'session/prompt') return;
  await prompt(params.prompt.map((part: { text: string }) => part.text).join('\n'));
  write({ id, result: { stopReason: 'end_turn', usage: { inputTokens: 1e6 } } });
});
