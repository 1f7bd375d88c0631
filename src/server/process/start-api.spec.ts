import { type AddressInfo, createServer } from 'node:net';
import { requireFreePort } from './start-api.js';

test('a port is not free if another process listens there and would share it', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen({ host: '127.0.0.1', port: 0, reusePort: true }, resolve));
  const { port } = other.address() as AddressInfo;
  await expect(requireFreePort('127.0.0.1', port)).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port}: the address is already in use: choose another port with --secure-port`,
  );
  await new Promise((resolve) => other.close(resolve));
  await requireFreePort('127.0.0.1', port);
});
