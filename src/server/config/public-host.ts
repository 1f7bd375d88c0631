import { isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import type { ProcessSettings } from './process.settings.js';
import { isWildcard } from './bind-address.js';

/** The name by which other machines most likely reach this one; the generated certificate covers it. */
export function publicHost({ bindAddress, tlsSan: [given] }: ProcessSettings): string {
  const host = given ?? (isWildcard(bindAddress) ? hostname() : bindAddress);
  return isIPv6(host) ? `[${host}]` : host;
}
