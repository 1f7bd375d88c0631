import { renewLoad } from '../load/renew-load.js';
import { measureRbacDecisions } from './rbac-decisions.js';
import { prepareAccess } from './prepare-access.js';
import { profiledServer } from './profiled-server.js';

/**
 * The cost of authenticating and authorizing a user with 50 bindings among 5,000: RBAC alone, and in a CPU profile of a server.
 * Frames include everything below them.
 */
async function main(): Promise<void> {
  for (const [what, figure] of Object.entries(measureRbacDecisions())) console.log(`RBAC, ${what}: ${figure}`);
  const server = await profiledServer(['--authorization-mode=Node,RBAC', ...process.argv.slice(2)]);
  const client = await prepareAccess(server);
  await server.profile.start();
  const started = performance.now();
  const result = await renewLoad(client, { clients: 64, seconds: 10 });
  const seconds = (performance.now() - started) / 1000;
  const frames = await server.profile.stop();
  client.close();
  const requests = (result['renewals/s'] ?? 0) * seconds;
  console.log(`renew, 64 clients: ${JSON.stringify(result)}`);
  for (const [frame, micros] of frames) console.log(`${frame}: ${(micros / requests).toFixed(2)} µs of CPU a request`);
  await server.stop();
}

await main();
