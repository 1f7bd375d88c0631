import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https, { type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An HTTP server of a test, on a free port of 127.0.0.1. */
export interface AnsweringServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
}

/** Ends the response to a request whose whole body has arrived. */
export type Answer = (body: string, request: IncomingMessage, response: ServerResponse) => void;

/** `tls`: speaks HTTPS with this certificate. */
export async function startAnswering(answer: Answer, tls?: ServerOptions): Promise<AnsweringServer> {
  const hear = (request: IncomingMessage, response: ServerResponse) => void text(request).then((body) => answer(body, request, response));
  const server = tls ? https.createServer(tls, hear) : http.createServer(hear);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
