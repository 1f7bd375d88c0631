import { duplexPair } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { MemoryLedger, openAccount } from '../ledger/memory-ledger.js';
import { Outbox } from './outbox.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function outbox() {
  const [server, client] = duplexPair();
  let rooms = 0;
  const box = new Outbox(server as TLSSocket, () => (rooms += 1));
  return { box, server, client, rooms: () => rooms };
}

test('parts pushed in one turn leave in one write, and all callbacks are called', async () => {
  const { box, client } = outbox();
  const chunks: string[] = [];
  client.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const told: number[] = [];
  for (const each of [1, 2, 3]) box.push(Buffer.from(String(each)), () => told.push(each));
  await turn();
  expect([chunks, told]).toEqual([['123'], [1, 2, 3]]);
});

test('is full while its client does not read, and calls onRoom when there is room again', async () => {
  const { box, client, rooms } = outbox();
  box.push(Buffer.alloc(100_000));
  await turn();
  expect([box.isFull, rooms()]).toEqual([true, 0]);
  client.resume();
  await turn();
  expect([box.isFull, rooms()]).toEqual([false, 1]);
});

test('cuts off a client that leaves too much unread', async () => {
  const { box, server } = outbox();
  for (let sent = 0; sent < 6; sent++) {
    box.push(Buffer.alloc(60_000));
    await turn();
  }
  expect(server.destroyed).toBe(true);
});

test('calls every callback once when the connection is gone', async () => {
  const { box, server } = outbox();
  let told = 0;
  box.push(Buffer.alloc(100_000), () => (told += 1));
  await turn();
  box.push(Buffer.from('x'), () => (told += 1));
  server.destroy();
  await turn();
  expect(told).toBe(2);
});

test('a client that leaves 256 KiB of replies unread is cut off and counted', async () => {
  const met: string[] = [];
  const { box, server } = outbox();
  openAccount(new MemoryLedger(undefined, (limit) => void met.push(limit)), server as TLSSocket);
  box.push(Buffer.alloc(300 * 1024));
  await turn();
  expect([server.destroyed, met]).toEqual([true, ['replies']]);
});
