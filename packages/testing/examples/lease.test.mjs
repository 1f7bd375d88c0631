// For jest (node --experimental-vm-modules node_modules/jest/bin/jest.js) and vitest (vitest run --globals).
import { startTestServer } from '@coordination-apiserver/testing';

let server;
beforeAll(async () => (server = await startTestServer()));
afterEach(() => server.reset());
afterAll(() => server.close());

test('the holder of a lease changes', async () => {
  await server.takeOver({ name: 'worker', holder: 'a' });
  const waiting = server.waitForHolder({ name: 'worker', holder: 'b' });
  await server.takeOver({ name: 'worker', holder: 'b' });
  expect((await waiting).holder).toBe('b');
});

test('each test starts with the first state', async () => {
  await expect(server.expire({ name: 'worker' })).rejects.toThrow('not found');
});
