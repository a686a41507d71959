import { Resolver } from 'node:dns/promises';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { OutgoingError } from './outgoing-error.ts';

/** Finds the IP addresses of a host name. Rejects with OutgoingError `dns` when there are none. */
export type ResolveName = (name: string) => Promise<Address[]>;

export interface Address {
  address: string;
  family: 4 | 6;
}

const LOOPBACK: Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** More addresses than this are not tried. */
const MAX_ADDRESSES = 8;

/**
 * Asks DNS itself. The resolver of the operating system would wait in a thread that hashing
 * passwords and reading files need, too, so that names whose servers never answer could stop both.
 * The names in /etc/hosts are therefore not found, but for localhost (RFC 6761 §6.3).
 */
export function resolveNames(servers?: readonly string[]): ResolveName {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return async (name) => {
    // A URL holds IPv6 addresses in brackets.
    const address = name.replace(/^\[|\]$/g, '');
    if (isIP(address) !== 0) return [{ address, family: isIPv6(address) ? 6 : 4 }];
    const bare = name.replace(/\.$/, '').toLowerCase();
    if (bare === 'localhost' || bare.endsWith('.localhost')) return LOOPBACK;
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const [ipv4, ipv6] = answers.map((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    const found: Address[] = [
      ...(ipv4 ?? []).map((one) => ({ address: one, family: 4 as const })),
      ...(ipv6 ?? []).map((one) => ({ address: one, family: 6 as const })),
    ];
    if (found.length === 0) throw new OutgoingError('dns');
    return found.slice(0, MAX_ADDRESSES);
  };
}

/** Lets a connection find these addresses, which were checked, and no others. */
export const lookupOf =
  (addresses: readonly Address[]): LookupFunction =>
  (_name, { all }, callback) => {
    const [first] = addresses as [Address];
    if (all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
