import type { Socket } from 'node:net';
import { clientNetwork } from './client-network.js';
import type { ConnectionAccount } from './connection-account.js';
import { MemoryLedger } from './memory-ledger.js';

const accounts = new WeakMap<object, ConnectionAccount>();
/** The ledger for sockets that were not accepted by a server of this process, as in tests: unlimited. */
const unlimited = new MemoryLedger({ connection: 0, owner: 0, process: 0 });

/** Opens the account of an accepted connection; it is closed together with its socket. */
export function openAccount(ledger: MemoryLedger, socket: Socket): ConnectionAccount {
  const account = ledger.open(clientNetwork(socket.remoteAddress ?? ''), () => socket.destroy());
  accounts.set(socket, account);
  socket.once('close', () => account.close());
  return account;
}

export function accountOf(socket: Socket): ConnectionAccount {
  return accounts.get(socket) ?? openAccount(unlimited, socket);
}
