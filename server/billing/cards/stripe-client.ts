import { AsyncLocalStorage } from 'node:async_hooks';
import Stripe from 'stripe';
import { traceAsk } from '../../telemetry/spans.ts';

/**
 * Stripe's address and our credentials. `apiBase`: a URL (tests, proxies). `timeoutMs`: per
 * attempt.
 */
export interface StripeAccess {
  secretKey: string;
  apiBase?: string;
  timeoutMs?: number;
}

/**
 * The result of a call. `nothingRan`: none of its attempts, including the SDK's own retries, can
 * have been executed.
 */
export type Called<T> = { ok: true; value: T } | { ok: false; error: unknown; nothingRan: boolean };

// Errors before a connection exists; a reset or a timeout may come after the request was read.
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
// Stripe rejected the request without processing it.
const NEVER_RUN = new Set([401, 403, 429]);

// The SDK retries inside a call and reports only the last attempt: "connection refused" may follow
// a reset that charged the card. So every attempt is observed.
const attempts = new AsyncLocalStorage<{ mayHaveRun: boolean }>();

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/** The official SDK with a pinned API version, limited retries and no telemetry. */
export function stripeClient({ secretKey, apiBase, timeoutMs = 20_000 }: StripeAccess): Stripe {
  const base = new URL(apiBase ?? 'https://api.stripe.com');
  const protocol = base.protocol === 'http:' ? 'http' : 'https';
  return new Stripe(secretKey, {
    apiVersion: '2026-10-28.endive',
    telemetry: false,
    maxNetworkRetries: 2,
    timeout: timeoutMs,
    host: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port || (protocol === 'http' ? 80 : 443),
    protocol,
    httpClient: watched(Stripe.createNodeHttpClient(), base.pathname.replace(/\/+$/, '')),
  });
}

/** Makes one call and never throws. */
export async function call<T>(work: () => Promise<T>): Promise<Called<T>> {
  const seen = { mayHaveRun: false };
  try {
    return { ok: true, value: await attempts.run(seen, work) };
  } catch (error) {
    return { ok: false, error, nothingRan: !seen.mayHaveRun };
  }
}

function watched(client: HttpClient, prefix: string): HttpClient {
  const send = client.makeRequest.bind(client);
  client.makeRequest = async (host, port, path, method, ...rest) => {
    const seen = attempts.getStore();
    try {
      const response = await traceAsk(
        { method, host: String(host), path },
        () => send(host, port, prefix + path, method, ...rest),
        (answer) => answer.getStatusCode(),
      );
      if (seen && !NEVER_RUN.has(response.getStatusCode())) seen.mayHaveRun = true;
      return response;
    } catch (error) {
      if (seen && !NEVER_SENT.has((error as NodeJS.ErrnoException).code ?? ''))
        seen.mayHaveRun = true;
      throw error;
    }
  };
  return client;
}
