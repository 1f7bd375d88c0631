import type { Socket } from 'node:net';

/** Notified about the requests on a connection. No other traffic counts as use. */
export interface ConnectionUse {
  requestBegan(): void;
  requestEnded(): void;
  /** A request on the connection was authenticated. */
  authenticated(): void;
}

const uses = new WeakMap<object, ConnectionUse>();

export function setUse(socket: Socket, use: ConnectionUse): void {
  uses.set(socket, use);
}

/** Returns undefined for connections that were not accepted by a server of this process. */
export function useOf(socket: Socket): ConnectionUse | undefined {
  return uses.get(socket);
}
