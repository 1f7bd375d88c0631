import type { ApiClient } from './api-client.js';
import type { Recorder } from './recorder.js';
import { Repeated } from './repeated.js';

/** Polls a server's /readyz twice a second. */
export function readinessProbe(client: ApiClient, recorder: Recorder): Repeated {
  return new Repeated(async () => {
    const { status } = await client.send('GET', '/readyz', undefined, 2_000);
    recorder.readiness.push({ server: client.server, at: recorder.now(), status });
  }, 500);
}
