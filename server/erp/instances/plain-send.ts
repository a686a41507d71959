import type { Outgoing } from '../../platform/outgoing/outgoing.ts';

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 1_048_576;

/**
 * Sends to an instance that a driver of the operator's runs: its address is no one's choice, and is
 * mostly of a network that the agent for addresses of callers refuses. Follows no redirect.
 */
export const plainSend: Outgoing['send'] = async (request) => {
  const { url, method, headers, body, maxBytes = MOST_BYTES, timeout = TIMEOUT_MS } = request;
  const began = performance.now();
  const late = AbortSignal.timeout(timeout);
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
    signal: request.signal === undefined ? late : AbortSignal.any([late, request.signal]),
  });
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer.body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new Error('The answer is too long.');
    parts.push(part);
  }
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    url,
    body: Buffer.concat(parts),
    redirected: false,
    ms: Math.round(performance.now() - began),
  };
};
