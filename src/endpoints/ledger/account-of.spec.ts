import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { openAccount } from './account-of.js';
import { MemoryLedger } from './memory-ledger.js';

function socketFrom(remoteAddress: string): Socket {
  return Object.assign(new Duplex(), { remoteAddress }) as unknown as Socket;
}

test('connections from one IPv6 network of 64 bits belong to one owner', () => {
  const ledger = new MemoryLedger();
  const addresses = ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', '::ffff:10.0.0.1', '10.0.0.1'];
  const owners = addresses.map((address) => openAccount(ledger, socketFrom(address)).owner.name);
  expect(owners).toEqual([
    'address 2001:db8:0:0::/64',
    'address 2001:db8:0:0::/64',
    'address 2001:db8:0:1::/64',
    'address 10.0.0.1',
    'address 10.0.0.1',
  ]);
});
