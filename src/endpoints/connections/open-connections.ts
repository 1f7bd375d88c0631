import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** Connections whose TLS handshake is under way; beyond that, whoever has taken longest has to go. */
const MAX_HANDSHAKES = 1000;
/** An HTTP/2 connection without requests is closed after this, as one of HTTP/1.1. */
const IDLE_MS = 90_000;
/** Between the news that a connection is about to end and its end (Go: http2 goAwayTimeout). */
const GOAWAY_MS = 1000;
const NO_ERROR = 0;
const ANY_STREAM = 2 ** 31 - 1;

/**
 * The connections of a server from their first packet on: half-open ones are bounded, idle ones closed, and a shutdown ends all of
 * them, politely first, then for good.
 */
export class OpenConnections {
  readonly #sockets = new Set<Socket>();
  /** By remote address: the secure socket that comes of a raw one has the same. */
  readonly #handshaking = new Map<string, Socket>();
  /** With the number of their streams. */
  readonly #sessions = new Map<ServerHttp2Session, number>();
  readonly #leaving = new WeakSet<ServerHttp2Session>();

  constructor(server: Http2SecureServer) {
    server.on('connection', (socket: Socket) => this.#begin(socket));
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#handshaking.delete(addressOf(socket));
      socket.on('error', () => socket.destroy());
    });
    server.on('session', (session) => this.#track(session));
  }

  get count(): number {
    return this.#sockets.size;
  }

  /** Asks the client to use another connection from now on; what is under way on this one goes on. */
  leave(session: ServerHttp2Session): void {
    if (this.#leaving.has(session) || session.closed || session.destroyed) return;
    this.#leaving.add(session);
    // Streams that are on their way to us are still taken.
    session.goaway(NO_ERROR, ANY_STREAM);
    setTimeout(() => closeGracefully(session), GOAWAY_MS).unref();
  }

  /** Lets HTTP/2 clients know that no new streams are taken; streams under way go on. */
  retire(): void {
    for (const session of this.#sessions.keys()) closeGracefully(session);
  }

  destroy(): void {
    for (const session of this.#sessions.keys()) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  #begin(socket: Socket): void {
    const address = addressOf(socket);
    this.#sockets.add(socket);
    this.#handshaking.set(address, socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#handshaking.get(address) === socket) this.#handshaking.delete(address);
    });
    if (this.#handshaking.size <= MAX_HANDSHAKES) return;
    const [oldest] = this.#handshaking.values();
    oldest?.destroy();
  }

  #track(session: ServerHttp2Session): void {
    this.#sessions.set(session, 0);
    session.on('stream', (stream) => {
      this.#sessions.set(session, (this.#sessions.get(session) ?? 0) + 1);
      stream.on('close', () => {
        const left = (this.#sessions.get(session) ?? 0) - 1;
        if (this.#sessions.has(session)) this.#sessions.set(session, left);
      });
    });
    // Fires again and again while nothing is sent or received.
    session.setTimeout(IDLE_MS, () => this.#sessions.get(session) === 0 && closeGracefully(session));
    session.on('close', () => this.#sessions.delete(session));
    // A broken connection shows in its streams; without a listener it would end the process.
    session.on('error', () => this.#sessions.delete(session));
  }
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''}:${remotePort ?? 0}`;
}

function closeGracefully(session: ServerHttp2Session): void {
  if (!session.closed && !session.destroyed) session.close();
}
