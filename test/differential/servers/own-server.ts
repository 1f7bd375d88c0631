import { startServerProcess } from '../../support/server-process.js';
import { startSharedPostgres, stopSharedPostgres } from '../../support/shared-postgres.js';
import { UPSTREAMS_GROUPS } from '../../support/upstreams-groups.js';
import { TOKEN_LINES } from '../identities.js';
import type { StartedServer } from './upstream-server.js';

/**
 * This server as built, on a new database; with several `replicas`, all of them on that one. Its controllers do not run: upstream's are
 * separate programs. `more` flags come last.
 */
export async function startOwnServer(more: readonly string[] = [], replicas = 1): Promise<StartedServer> {
  await startSharedPostgres();
  try {
    const flags = [
      '--anonymous-auth=true',
      '--authorization-mode=RBAC',
      '--controllers=-namespace-controller',
      `--runtime-config=coordination.k8s.io/v1alpha1=false,${UPSTREAMS_GROUPS}`,
      ...more,
    ];
    const server = await startServerProcess({ tokens: TOKEN_LINES, flags });
    const { databaseUrl } = server;
    const start = () => startServerProcess({ tokens: TOKEN_LINES, flags, databaseUrl });
    const others = await Promise.all(Array.from({ length: replicas - 1 }, start));
    return {
      url: server.url,
      replicas: others.map(({ url }) => url),
      stop: async () => {
        await Promise.all(others.map((other) => other.stop()));
        await server.stop();
        await stopSharedPostgres();
      },
    };
  } catch (error) {
    await stopSharedPostgres();
    throw error;
  }
}
