import { startServerProcess } from '../../support/server-process.js';
import { startSharedPostgres, stopSharedPostgres } from '../../support/shared-postgres.js';
import { UPSTREAMS_GROUPS } from '../../support/upstreams-groups.js';
import { TOKEN_LINES } from '../identities.js';
import type { StartedServer } from './upstream-server.js';

/** This server as built, on a new database. Its controllers do not run: upstream's are separate programs. */
export async function startOwnServer(): Promise<StartedServer> {
  await startSharedPostgres();
  try {
    const server = await startServerProcess({
      tokens: TOKEN_LINES,
      flags: [
        '--anonymous-auth=true',
        '--authorization-mode=RBAC',
        '--controllers=-namespace-controller',
        `--runtime-config=coordination.k8s.io/v1alpha1=false,${UPSTREAMS_GROUPS}`,
      ],
    });
    return {
      url: server.url,
      stop: async () => {
        await server.stop();
        await stopSharedPostgres();
      },
    };
  } catch (error) {
    await stopSharedPostgres();
    throw error;
  }
}
