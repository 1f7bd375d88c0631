import type { Socket } from 'node:net';

/** The client of a connection whose protocol has more than bytes: HTTP/2 or WebSocket. */
export interface Peer {
  /** Whether it must answer pings, because something is in progress that only the client can end. */
  readonly isAwaited: boolean;
  ping(): void;
  /** Ends responses of which the client has taken nothing for `stallMs`. `now` is in milliseconds of any monotonic clock. */
  endStalled?(now: number, stallMs: number): void;
}

const peers = new WeakMap<object, Peer>();

/** From here on, the connection speaks HTTP/2 or WebSocket. */
export function setPeer(socket: Socket, peer: Peer): void {
  peers.set(socket, peer);
}

/** Returns undefined for HTTP/1.1 connections. */
export function peerOf(socket: Socket): Peer | undefined {
  return peers.get(socket);
}
