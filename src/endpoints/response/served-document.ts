import type { OutgoingHttpHeaders } from 'node:http';
import type { ApiRequest } from '../request/api-request.js';
import { SharedDocument } from './shared-document.js';

/** A document from outside of this layer, served to users who may GET its path. */
export interface ServedDocument {
  /** Without a slash at its end. The path with a slash serves the same document. */
  readonly path: string;
  readonly mediaType: string;
  readonly headers: OutgoingHttpHeaders;
  /** `port` is the local port of the client's connection. */
  body(port: number): string;
  /** The operation in the OpenAPI documents. */
  readonly operation: { readonly id: string; readonly tag: string; readonly description: string };
}

/** Injection token of their list. */
export const SERVED_DOCUMENTS = Symbol('ServedDocuments');

/** A function that serves the document, with one copy for each port that the server listens on. */
export function documentServer(served: ServedDocument): (request: ApiRequest) => Promise<void> {
  const { mediaType, headers } = served;
  const byPort = new Map<number, SharedDocument>();
  return (request) => {
    const port = request.raw.socket.localPort ?? 0;
    let document = byPort.get(port);
    if (!document) {
      document = new SharedDocument({ mediaType, headers, make: () => served.body(port), compressible: false });
      // The port of a closed connection is 0.
      if (port !== 0) byPort.set(port, document);
    }
    return document.serve(request);
  };
}
