import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { TcpLink } from './tcp-link.js';

test('a connection that is healed without having been muted carries each byte once', async () => {
  const echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket)); // when it closes, the link resets its open connections
  await once(echo.listen(0, '127.0.0.1'), 'listening');
  const link = await TcpLink.start({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port });
  const client = connect(link.port, '127.0.0.1');
  try {
    let received = '';
    client.setEncoding('utf8').on('data', (text: string) => (received += text));
    const answered = async (text: string) => {
      client.write(text);
      while (!received.endsWith(text)) await sleep(5);
    };
    await answered('a');
    link.heal();
    await answered('b');
    await answered('c');
    link.mute();
    link.heal();
    await answered('d');
    expect(received).toBe('abcd');
  } finally {
    client.destroy();
    await link.close();
    echo.close();
  }
});
