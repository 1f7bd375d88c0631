import { isIPv6 } from 'node:net';
import { isWildcard } from './bind-address.js';

/** The URL for a client on this machine. */
export function localUrl(bindAddress: string, port: number): string {
  const host = isWildcard(bindAddress) ? '127.0.0.1' : bindAddress;
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
