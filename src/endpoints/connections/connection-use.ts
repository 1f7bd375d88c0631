import type { Socket } from 'node:net';

/** What a connection is told of the requests on it. Nothing else that comes over it counts as use. */
export interface ConnectionUse {
  requestBegan(): void;
  requestEnded(): void;
  /** A request on it was somebody's who is known. */
  authenticated(): void;
}

const uses = new WeakMap<object, ConnectionUse>();

export function setUse(socket: Socket, use: ConnectionUse): void {
  uses.set(socket, use);
}

/** Undefined for connections that no server of this process accepted. */
export function useOf(socket: Socket): ConnectionUse | undefined {
  return uses.get(socket);
}
