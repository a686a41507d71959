import { orAborted } from '../threads/or-aborted.ts';
import { mayConnect } from './addresses.ts';
import { type Exchanged, exchange } from './exchange.ts';
import { OutgoingError } from './outgoing-error.ts';
import { resolveNames } from './resolve-name.ts';

export { type OutgoingCode, OutgoingError } from './outgoing-error.ts';

/**
 * Sends requests to addresses that callers chose. Every request resolves the name again, refuses
 * what is not public unless the operator has opened it, and connects to the address that was
 * checked (erp.md §2, docs/decisions/0063).
 */
export interface Outgoing {
  /** Rejects with OutgoingError; when the caller's signal aborts, with its reason. */
  send(request: OutgoingRequest): Promise<OutgoingAnswer>;
}

export interface OutgoingRequest {
  url: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  signal?: AbortSignal;
  /** Bytes of an answer; 1 MiB unless it says otherwise. */
  maxBytes?: number;
  /** Of a longer answer, the first bytes are taken; without it, the answer is refused. */
  keepFirst?: boolean;
  /** Milliseconds in all, redirects included; 10,000 unless it says otherwise. */
  timeout?: number;
  /**
   * At most three redirects, with the same method and body. True unless it says otherwise; without
   * them, a redirect is an answer like any other.
   */
  followRedirects?: boolean;
  /** Whether the answer is used without its body, which is not waited for. */
  headOnly?: boolean;
  /** The request holds a secret: then redirects to another origin are refused (`redirected`). */
  carriesSecret?: boolean;
}

export interface OutgoingAnswer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** The address that answered, after redirects. */
  url: string;
  redirected: boolean;
  /** How long it took in all. */
  ms: number;
}

export interface OutgoingOptions {
  /** Addresses and networks in CIDR notation that are not public and may be connected to. */
  allowedNetworks: readonly string[];
  allowHttp: boolean;
  /** Authorities that are trusted instead of those of Node.js, in PEM format. */
  ca?: string;
  /** DNS servers instead of those of this machine, as `address:port`. */
  dnsServers?: readonly string[];
}

const MAX_REDIRECTS = 3;
const MAX_URL = 2_000;
const MIB = 1024 ** 2;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export function openOutgoing(options: OutgoingOptions): Outgoing {
  const permitted = mayConnect(options.allowedNetworks);
  const resolve = resolveNames(options.dnsServers);
  const protocols = options.allowHttp ? ['https:', 'http:'] : ['https:'];

  function parse(text: string, base?: URL): URL {
    const url = text.length > MAX_URL ? null : URL.parse(text, base?.href);
    const usable = url !== null && url.port !== '0' && protocols.includes(url.protocol);
    if (!usable || url.username || url.password)
      throw new OutgoingError(base === undefined ? 'invalid_url' : 'redirected');
    url.hash = '';
    return url;
  }

  async function sendTo(url: URL, request: OutgoingRequest, signal: AbortSignal) {
    const addresses = await orAborted(resolve(url.hostname), signal);
    // One that is not permitted refuses the name: which of them is used is not ours to choose.
    if (!addresses.every(({ address }) => permitted(address)))
      throw new OutgoingError('blocked_address');
    const { method, headers = {}, body, maxBytes = MIB } = request;
    const { headOnly = false, keepFirst = false } = request;
    const { ca } = options;
    const bounds = { maxBytes, headOnly, keepFirst };
    return exchange({ url, addresses, method, headers, body, ...bounds, signal, ca });
  }

  async function send(request: OutgoingRequest, signal: AbortSignal): Promise<OutgoingAnswer> {
    const started = performance.now();
    const first = parse(request.url);
    let url = first;
    for (let redirects = 0; ; redirects += 1) {
      const { headers = {} } = request;
      const sent = {
        ...request,
        headers: url.origin === first.origin ? headers : harmless(headers),
      };
      const answer = await sendTo(url, sent, signal);
      const next = request.followRedirects === false ? undefined : targetOf(answer);
      if (next === undefined) {
        const ms = Math.round(performance.now() - started);
        return { ...answer, url: url.href, redirected: redirects > 0, ms };
      }
      const from = url;
      url = parse(next, from);
      const elsewhere = url.origin !== first.origin;
      const unsafe = from.protocol === 'https:' && url.protocol === 'http:';
      if (redirects === MAX_REDIRECTS || unsafe || (request.carriesSecret && elsewhere))
        throw new OutgoingError('redirected');
    }
  }

  return {
    async send(request) {
      const { signal = new AbortController().signal, timeout = 10_000 } = request;
      const late = AbortSignal.timeout(timeout);
      try {
        return await send(request, AbortSignal.any([signal, late]));
      } catch (error) {
        signal.throwIfAborted();
        throw late.aborted ? new OutgoingError('timeout', { cause: error }) : error;
      }
    },
  };
}

const targetOf = ({ status, headers }: Exchanged): string | undefined =>
  REDIRECTS.has(status) ? headers.location : undefined;

/** Without what another origin must not see. */
const harmless = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(accept|content-type)$/i.test(name)),
  );
