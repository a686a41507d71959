import { BlockList, isIPv4, isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * What a client is counted by: its IPv4 address, or the /64 network of its IPv6 address, because
 * anyone who has one IPv6 address usually has a whole network of them. An IPv4-mapped IPv6 address
 * counts as the IPv4 address. Other text is returned unchanged.
 */
export function networkOf(address: string): string {
  const ipv4 = MAPPED_IPV4.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] as string).split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...first, ...Array(8 - first.length - last.length).fill('0'), ...last];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** Whether an address is one of these addresses and networks, written as in TRUSTED_PROXIES. */
export function addressMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const plain = MAPPED_IPV4.exec(address)?.[1] ?? address.split('%')[0] ?? '';
    return list.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
  };
}
