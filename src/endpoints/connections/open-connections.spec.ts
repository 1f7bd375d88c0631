import { EventEmitter } from 'node:events';
import type { Server } from 'node:https';
import { Duplex } from 'node:stream';
import { OpenConnections } from './open-connections.js';

test('addresses of one IPv6 network of 64 bits share the limit of an address', () => {
  const server = new EventEmitter();
  const met: string[] = [];
  const connections = new OpenConnections(server as Server, { maxConnections: 0, maxPerAddress: 2, onLimit: (limit) => met.push(limit) });
  const open = (remoteAddress: string, remotePort: number): Duplex => {
    const socket = Object.assign(new Duplex({ read() {} }), { remoteAddress, remotePort });
    server.emit('connection', socket);
    return socket;
  };
  const [first, second] = [open('2001:db8::1', 1), open('2001:db8::2', 2)];
  const elsewhere = open('2001:db8:0:1::1', 3);
  expect([first.destroyed, met]).toEqual([false, []]);
  const third = open('2001:db8::3', 4);
  expect([first, second, elsewhere, third].map(({ destroyed }) => destroyed)).toEqual([true, false, false, false]);
  expect(met).toEqual(['address_connections']);
  connections.destroy();
});
