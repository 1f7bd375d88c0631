import type { OutgoingHttpHeaders } from 'node:http';
import type { ApiRequest } from './request/api-request.js';
import { sendAnswer } from './writers/answer.js';

/** A document that the server is given to serve, to those who may GET its path. */
export interface ServedDocument {
  /** Without a slash at its end; with one it is the same. */
  readonly path: string;
  readonly mediaType: string;
  readonly headers: OutgoingHttpHeaders;
  /** `port`: where the client reached this server. */
  body(port: number): string;
  /** What OpenAPI says of it. */
  readonly operation: { readonly id: string; readonly tag: string; readonly description: string };
}

export function serveDocument(document: ServedDocument, request: ApiRequest): Promise<void> {
  sendAnswer(request, 200, document.mediaType, document.body(request.raw.socket.localPort ?? 0), document.headers);
  return Promise.resolve();
}
