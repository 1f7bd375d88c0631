import type { HealthCheck } from '../../../src/endpoints/monitoring/health-checks.js';
import { ask, Http2Client } from '../../support/http-client.js';
import { startTestServer } from '../../support/test-server.js';

const ok = (name: string, on: HealthCheck['on']): HealthCheck => ({ name, on, check: () => Promise.resolve() });
const broken: HealthCheck = { name: 'database', on: ['readyz'], check: () => Promise.reject(new Error('no route to host')) };

test('a failing check fails only its own endpoint, and its reason is withheld from the summary', async () => {
  const log: string[] = [];
  await using server = await startTestServer({ log, healthChecks: [ok('ping', ['healthz', 'livez', 'readyz']), broken] });
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
});

test('a check runs only once in a while, however often and in whatever form it is requested', async () => {
  let runs = 0;
  const counted: HealthCheck = {
    name: 'database',
    on: ['healthz', 'readyz'],
    check: () => {
      runs += 1;
      return Promise.resolve();
    },
  };
  await using server = await startTestServer({ healthChecks: [ok('ping', ['healthz', 'livez', 'readyz']), counted] });
  using client = new Http2Client(server.url);
  const began = performance.now();
  const forms = ['/readyz', '/healthz', '/readyz?verbose', '/readyz?exclude=ping', '/readyz/database', '/healthz/database'];
  for (let round = 0; round < 50; round++) {
    const answers = await Promise.all(forms.map((form) => client.ask(form)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  }
  expect(runs).toBeLessThanOrEqual(1 + (performance.now() - began) / 250);
});
