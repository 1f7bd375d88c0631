import type { Contender, Subject } from './contender.js';
import { type OwnServerOptions, startOwnServer } from './own-server.js';

/** This server, from a built checkout. */
export function ownContender(name: string, options: OwnServerOptions & { readonly profile?: string }): Contender {
  const { profile, ...rest } = options;
  const nodeFlags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  return { name, start: (servers) => startServers({ ...rest, nodeFlags }, servers) };
}

async function startServers(options: OwnServerOptions, servers = 1): Promise<Subject> {
  const first = await startOwnServer(options);
  if (servers === 1) return first;
  const others = await Promise.all(
    Array.from({ length: servers - 1 }, () => startOwnServer({ ...options, databaseUrl: first.databaseUrl })),
  );
  const { server = [], database = [] } = first.processes ?? {};
  return {
    ...first,
    processes: { server: [...server, ...others.flatMap(({ processes }) => processes?.server ?? [])], database },
    stop: async () => {
      for (const subject of [...others, first]) await subject.stop();
    },
  };
}
