import ipaddr from 'ipaddr.js';

/**
 * Which IP addresses requests may be sent to: those of the public internet, and the networks that
 * the operator has opened.
 */
type MayConnect = (address: string) => boolean;

/** The only range of IPv6 that is routed on the public internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public addresses that clouds answer with secrets of the machine that asks. */
const METADATA = new Set(['168.63.129.16']);

/** `networks`: addresses, and networks in CIDR notation. */
export function mayConnect(networks: readonly string[]): MayConnect {
  const opened = networks.map(parseNetwork);
  return (text) => {
    // With a zone (fe80::1%eth0), it is never public.
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.parse(text);
    return opened.some((network) => contains(network, address)) || isPublic(address);
  };
}

type Address = ReturnType<typeof ipaddr.parse>;
type Network = [Address, number];

/**
 * `unicast` is what no registry has set aside for anything else. IPv4 addresses within IPv6 ones
 * (mapped, NAT64, 6to4, Teredo) are refused whatever they stand for.
 */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || METADATA.has(address.toString())) return false;
  return address.kind() === 'ipv4' || contains(GLOBAL_UNICAST, address);
}

const contains = ([network, bits]: Network, address: Address): boolean =>
  network.kind() === address.kind() && (address as ipaddr.IPv6).match(network as ipaddr.IPv6, bits);

function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
