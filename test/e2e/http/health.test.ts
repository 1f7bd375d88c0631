import type { HealthCheck } from '../../../src/endpoints/health/health-check.js';
import { ask } from '../../support/http-client.js';
import { startTestServer } from '../../support/test-server.js';

const ok = (name: string, on: HealthCheck['on']): HealthCheck => ({ name, on, check: () => Promise.resolve() });
const broken: HealthCheck = { name: 'database', on: ['readyz'], check: () => Promise.reject(new Error('no route to host')) };

test('a failing check fails its endpoint alone, without telling strangers why', async () => {
  const log: string[] = [];
  const server = await startTestServer({ log, healthChecks: [ok('ping', ['healthz', 'livez', 'readyz']), broken] });
  expect((await ask(`${server.url}/livez`)).text).toBe('ok');
  const ready = await ask(`${server.url}/readyz`);
  expect([ready.status, ready.text]).toEqual([
    500,
    '[+]ping ok\n[-]database failed: reason withheld\n[+]shutdown ok\nreadyz check failed\n',
  ]);
  expect(log.join('')).toContain('no route to host');
  const one = await ask(`${server.url}/readyz/database`);
  expect([one.status, one.text]).toEqual([500, 'internal server error: no route to host\n']);
  expect((await ask(`${server.url}/readyz?exclude=database`)).text).toBe('ok');
  expect((await ask(`${server.url}/livez/database`)).status).toBe(404);
  await server.close();
});
