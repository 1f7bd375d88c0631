import type { Contender } from './contender.js';
import type { OwnServerOptions } from './own-server.js';
import { startOwnServer } from './own-server.js';

/** This server, from a built checkout. */
export function ownContender(name: string, options: OwnServerOptions & { readonly profile?: string }): Contender {
  const { profile, ...rest } = options;
  const nodeFlags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  return { name, start: () => startOwnServer({ ...rest, nodeFlags }) };
}
