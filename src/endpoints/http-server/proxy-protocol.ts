import type { Server } from 'node:https';
import { type Socket, isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { AddressRanges } from '../connections/address-ranges.js';
import { tcpSocketOf } from '../connections/tcp-socket-of.js';
import { type ProxiedClient, parseProxyHeader } from './proxy-header.js';

/** A proxy sends its header as soon as it is connected. */
const HEADER_MS = 5000;

/**
 * Reads the PROXY header with which each connection from these addresses must begin, before TLS does, and gives the connection the address
 * of the client. Without such a header it is closed: whether a client's own bytes could be one is not guessed. Other connections begin with
 * TLS. A connection counts from its first packet, at first under the proxy's address; `proxied` is emitted when it has the client's.
 */
export function readProxyHeaders(server: Server, proxies: AddressRanges): void {
  const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
  const serve = (socket: Socket) => listeners.forEach((listener) => listener.call(server, socket));
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!proxies.has(socket.remoteAddress ?? '')) return serve(socket);
    const refuse = (message: string): void => {
      socket.destroy();
      server.emit('tlsClientError', Object.assign(new Error(message), { code: 'ERR_PROXY_HEADER' }), socket);
    };
    readHeader(socket, refuse, (client) => {
      if (client) {
        setRemote(socket, client);
        server.emit('proxied', socket);
      }
      serve(socket);
    });
  });
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    const { remoteAddress: address, remotePort: port } = tcpSocketOf(socket) ?? {};
    if (address !== undefined && port !== undefined) setRemote(socket, { address, port });
  });
}

/** Calls back once. What follows the header stays in the socket, from which TLS takes it. */
function readHeader(socket: Socket, refuse: (message: string) => void, done: (client: ProxiedClient | undefined) => void): void {
  let received = Buffer.alloc(0);
  const stop = () => {
    clearTimeout(timer);
    socket.off('readable', read).off('end', leave).off('close', stop);
  };
  const fail = (message: string) => {
    stop();
    refuse(message);
  };
  // Probes of a proxy that only connect and leave are no fault.
  const leave = () => socket.destroy();
  const read = () => {
    const chunk = socket.read() as Buffer | null;
    if (!chunk) return;
    received = Buffer.concat([received, chunk]);
    try {
      const header = parseProxyHeader(received);
      if (!header) return;
      stop();
      if (header.length < received.length) socket.unshift(received.subarray(header.length));
      done(header.client);
    } catch (error) {
      fail((error as Error).message);
    }
  };
  const timer = setTimeout(() => fail('the PROXY header takes too long'), HEADER_MS);
  socket.on('readable', read).on('end', leave).on('close', stop);
}

function setRemote(socket: Socket, { address, port }: ProxiedClient): void {
  Object.defineProperties(socket, {
    remoteAddress: { value: address },
    remotePort: { value: port },
    remoteFamily: { value: isIPv6(address) ? 'IPv6' : 'IPv4' },
  });
}
