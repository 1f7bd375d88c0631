import { startFlood } from '../../load/flood-process.js';
import { LeaseHolders } from '../../load/lease-holders.js';
import { LeaseSession, makeLeases } from '../../load/lease-session.js';
import { startServerProcess } from '../../support/server-process.js';

/** The lease duration in milliseconds. `npm run program flood` measures how fast renewals are. */
const LEASE_MS = 10_000;

test("none of another user's 500 leases expires while a user floods the server with lists, watches and writes", async () => {
  const tokens = ['holder-token,holder,holder', 'flood-token,flooder,flooder'];
  const server = await startServerProcess({ tokens });
  const { url } = server;
  const holders = new LeaseHolders({ url, token: 'holder-token', namespace: 'held', leases: 500, periodMs: 2000, connections: 10 });
  await holders.acquire();
  const preparing = new LeaseSession(url, 'flood-token');
  await makeLeases(preparing, 'flooded', 2000);
  preparing.close();
  const flood = await startFlood({ url, token: 'flood-token', namespace: 'flooded', connections: 10, streams: 40 });

  const { took, refused } = await holders.renew(6000);
  const answers = await flood.stop();
  holders.close();
  await server.stop();

  expect(refused).toEqual([]);
  expect(took.length).toBeGreaterThan(1400);
  expect(Math.max(...took)).toBeLessThan(LEASE_MS);
  expect(Object.values(answers).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(100);
  expect(server.exitCode()).toBe(0);
});
