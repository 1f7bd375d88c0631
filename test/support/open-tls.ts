import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

/** A connection to a server of a test, for the bytes that a test sends itself. Errors close it. */
export async function openTls(port: number, protocol = 'http/1.1'): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: [protocol] });
  await once(socket, 'secureConnect');
  return socket.on('error', () => socket.destroy());
}
