import { isIPv6 } from 'node:net';

const MAPPED_PREFIX = '::ffff:';
const GROUPS = 8;
/** The first 64 bits, as groups of 16. */
const NETWORK_GROUPS = 4;

/**
 * The network that per-address limits count a client under: the address itself for IPv4, the /64 for IPv6. A client with an IPv6 address
 * usually owns all 2^64 addresses of its network, so a limit per address would not limit it. An IPv4-mapped IPv6 address, as shown by
 * dual-stack sockets, counts as the IPv4 address.
 */
export function clientNetwork(remoteAddress: string): string {
  if (!isIPv6(remoteAddress)) return remoteAddress;
  const [address = ''] = remoteAddress.toLowerCase().split('%');
  if (address.startsWith(MAPPED_PREFIX) && address.includes('.')) return address.slice(MAPPED_PREFIX.length);
  return `${firstGroups(address).join(':')}::/64`;
}

/** The groups of the network, without leading zeros. `::` stands for the missing groups, all zero. */
function firstGroups(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':');
    groups.push(...Array<string>(Math.max(0, GROUPS - groups.length - last.length)).fill('0'), ...last);
  }
  return groups.slice(0, NETWORK_GROUPS).map((group) => parseInt(group, 16).toString(16));
}
