import { type Endpoint, isListed, readAuthority } from '../../platform/network/host-pattern.ts';
import type { Address, ResolveName } from '../../platform/outgoing/resolve-name.ts';

/** Which hosts the processes of a pod may reach, and at which addresses. */
export interface Reach {
  /** In their canonical spelling. */
  patterns: ReadonlySet<string>;
  resolve: ResolveName;
  /** Whether an address may be connected to. */
  mayConnect(address: string): boolean;
}

/** `not_public`: the name stands for an address that may not be connected to. */
export interface RefusedHost extends Endpoint {
  because: 'not_listed' | 'not_public';
}

/** What a request is answered with instead, as a sentence for whoever wrote the program. */
export class Refusal extends Error {
  readonly status: number;
  readonly refused: RefusedHost | undefined;

  constructor(status: number, message: string, refused?: RefusedHost) {
    super(message);
    this.status = status;
    this.refused = refused;
  }
}

/** The target of CONNECT. Throws Refusal. */
export function connectTarget(authority: string): Endpoint {
  const { host, port } = readAuthority(authority) ?? {};
  if (host === undefined || port === undefined)
    throw new Refusal(400, 'CONNECT takes a host and a port, such as registry.example:443.');
  return { host, port };
}

/** The target of any other request, in absolute form. Throws Refusal. */
export function requestTarget(text: string): { url: URL; target: Endpoint } {
  const url = /^http:\/\//i.test(text) ? URL.parse(text) : null;
  if (url === null || url.username || url.password)
    throw new Refusal(
      400,
      'This is a proxy: requests to it begin with http:// and a host, and others use CONNECT.',
    );
  const host = readAuthority(url.hostname)?.host;
  const port = url.port === '' ? 80 : Number(url.port);
  if (host === undefined || port === 0) throw new Refusal(400, 'This address names no host.');
  url.hostname = host;
  return { url, target: { host, port } };
}

/**
 * The addresses of a target, asked for once: no other may be connected to. Throws Refusal, and
 * OutgoingError where the name has none.
 */
export async function addressesOf(target: Endpoint, reach: Reach): Promise<readonly Address[]> {
  const { host, port } = target;
  if (!isListed(reach.patterns, target))
    throw new Refusal(403, `${host}:${port} is not on the list of this project.`, {
      host,
      port,
      because: 'not_listed',
    });
  const addresses = await reach.resolve(host);
  // One that is not permitted refuses the name: which of them is used is not ours to choose.
  if (addresses.every(({ address }) => reach.mayConnect(address))) return addresses;
  throw new Refusal(403, `${host} stands for an address that is not public.`, {
    host,
    port,
    because: 'not_public',
  });
}
