import type { Server } from 'node:https';
import { type Socket, SocketAddress, isIPv4, isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { AddressRanges } from '../connections/connection-limits.js';
import { tcpSocketOf } from '../connections/open-connection.js';

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

/** The client at the other end of a proxy. */
interface ProxiedClient {
  readonly address: string;
  readonly port: number;
}

export interface ProxyHeader {
  /** In bytes. What follows is the client's. */
  readonly length: number;
  /** Undefined for connections of the proxy itself (LOCAL), and for clients that have no address (UNKNOWN, UNIX sockets). */
  readonly client?: ProxiedClient;
}

const TEXT = Buffer.from('PROXY ');
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const MAX_TEXT_BYTES = 107;
/** HAProxy and the load balancers of clouds add some 100 bytes of TLVs to the addresses. */
const MAX_BINARY_BYTES = 4096;
const FIXED_BYTES = 16;
/** Commands of version 2. */
const LOCAL = 0x20;
const PROXY = 0x21;
/** By family: TCP over IPv4 and over IPv6. */
const ADDRESS_BYTES: ReadonlyMap<number, number> = new Map([
  [0x11, 4],
  [0x21, 16],
]);

/**
 * Parses the header with which a proxy begins a connection by the PROXY protocol, version 1 or 2; undefined if more bytes are needed.
 * TLVs are passed over, their checksum too: TLS protects what follows. Throws an error with one line for anything else.
 */
export function parseProxyHeader(received: Buffer): ProxyHeader | undefined {
  if (isBeginOf(TEXT, received)) return parseText(received);
  if (isBeginOf(SIGNATURE, received)) return parseBinary(received);
  throw new Error('the connection does not begin with a PROXY header');
}

/** Whether the first bytes are those of `expected`, as far as they have arrived. */
function isBeginOf(expected: Buffer, received: Buffer): boolean {
  const length = Math.min(expected.length, received.length);
  return expected.compare(received, 0, length, 0, length) === 0;
}

function parseText(received: Buffer): ProxyHeader | undefined {
  const line = received.toString('latin1', 0, MAX_TEXT_BYTES);
  const end = line.indexOf('\r\n');
  if (end < 0 && received.length >= MAX_TEXT_BYTES) throw new Error('the PROXY header is too long');
  if (end < 0) return undefined;
  const [, transport = '', ...rest] = line.slice(0, end).split(' ');
  return transport === 'UNKNOWN' ? { length: end + 2 } : { length: end + 2, client: clientIn(transport, rest) };
}

/** The client's address is the first of both, and so is its port. */
function clientIn(transport: string, [address = '', to = '', port = '', toPort = '', ...more]: readonly string[]): ProxiedClient {
  const isAddress = transport === 'TCP4' ? isIPv4 : transport === 'TCP6' ? isPlainIPv6 : undefined;
  if (!isAddress?.(address) || !isAddress(to)) throw new Error('the PROXY header has no valid addresses');
  if (!isPort(port) || !isPort(toPort) || more.length > 0) throw new Error('the PROXY header has no valid ports');
  return { address: canonical(address), port: Number(port) };
}

function isPort(text: string): boolean {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 0xffff;
}

/** Without a zone, which only the proxy's machine could interpret. */
function isPlainIPv6(text: string): boolean {
  return isIPv6(text) && !text.includes('%');
}

function parseBinary(received: Buffer): ProxyHeader | undefined {
  if (received.length < FIXED_BYTES) return undefined;
  const [command = 0, family = 0] = received.subarray(SIGNATURE.length);
  if (command !== LOCAL && command !== PROXY) throw new Error('the PROXY header has another version or command');
  if (family >> 4 > 3 || (family & 0xf) > 2) throw new Error('the PROXY header has another family');
  const length = FIXED_BYTES + received.readUInt16BE(FIXED_BYTES - 2);
  if (length > MAX_BINARY_BYTES) throw new Error('the PROXY header is too long');
  // Bytes of each of the two addresses.
  const bytes = command === PROXY ? ADDRESS_BYTES.get(family) : undefined;
  if (bytes !== undefined && length < FIXED_BYTES + 2 * bytes + 4) throw new Error('the PROXY header is too short for its addresses');
  if (received.length < length) return undefined;
  if (bytes === undefined) return { length };
  const address = addressIn(received.subarray(FIXED_BYTES, FIXED_BYTES + bytes));
  return { length, client: { address, port: received.readUInt16BE(FIXED_BYTES + 2 * bytes) } };
}

function addressIn(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  return canonical((bytes.toString('hex').match(/.{4}/g) ?? []).join(':'));
}

/** As the kernel spells addresses. */
function canonical(address: string): string {
  return isIPv4(address) ? address : new SocketAddress({ address, family: 'ipv6' }).address;
}
