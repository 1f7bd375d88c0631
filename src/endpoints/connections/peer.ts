import type { Socket } from 'node:net';

/** The client at the other end of a connection whose protocol knows more than bytes. */
export interface Peer {
  /** Whether it is expected to answer pings: something is under way that only its end would end. */
  readonly isAwaited: boolean;
  ping(): void;
  /** Ends answers of which the client has taken nothing for so long. `now` in milliseconds of any clock that never goes back. */
  endStalled?(now: number, stallMs: number): void;
}

const peers = new WeakMap<object, Peer>();

/** From here on a connection speaks HTTP/2 or as a WebSocket. */
export function setPeer(socket: Socket, peer: Peer): void {
  peers.set(socket, peer);
}

/** Undefined for connections of HTTP/1.1. */
export function peerOf(socket: Socket): Peer | undefined {
  return peers.get(socket);
}
