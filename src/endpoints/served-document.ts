import type { OutgoingHttpHeaders } from 'node:http';
import type { ApiRequest } from './request/api-request.js';
import { SharedDocument } from './shared-document.js';

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

/** What serves a document. There is one for each port that the server listens on. */
export function documentServer(served: ServedDocument): (request: ApiRequest) => Promise<void> {
  const { mediaType, headers } = served;
  const byPort = new Map<number, SharedDocument>();
  return (request) => {
    const port = request.raw.socket.localPort ?? 0;
    let document = byPort.get(port);
    if (!document) {
      document = new SharedDocument({ mediaType, headers, make: () => served.body(port), compressible: false });
      // A connection that is gone has no port.
      if (port !== 0) byPort.set(port, document);
    }
    return document.serve(request);
  };
}
