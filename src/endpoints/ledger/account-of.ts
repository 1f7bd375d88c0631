import type { Socket } from 'node:net';
import type { ConnectionAccount } from './connection-account.js';
import { MemoryLedger } from './memory-ledger.js';

const accounts = new WeakMap<object, ConnectionAccount>();
/** For sockets that no server of this process accepted, as in tests: nothing is limited. */
const unlimited = new MemoryLedger({ connection: 0, owner: 0, process: 0 });

/** Opens the account of an accepted connection; it is closed with its socket. */
export function openAccount(ledger: MemoryLedger, socket: Socket): ConnectionAccount {
  const account = ledger.open(socket.remoteAddress ?? '', () => socket.destroy());
  accounts.set(socket, account);
  socket.once('close', () => account.close());
  return account;
}

/** The account of a connection. */
export function accountOf(socket: Socket): ConnectionAccount {
  return accounts.get(socket) ?? openAccount(unlimited, socket);
}
