import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ApiRequest } from '../request/api-request.js';
import { acceptsGzip, sendNothing, sendResponse } from './send-response.js';

/** Documents below this size are not compressed. Far less than for other responses, since a document is compressed once, not per request. */
const DOCUMENT_GZIP_THRESHOLD_BYTES = 1024;
const compress = promisify(gzip);

export interface SharedDocumentOptions {
  readonly mediaType: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Called once, on the first request. */
  readonly make: () => Buffer | string;
  /** Whether responses may be compressed; false for media that is already compressed. */
  readonly compressible?: boolean;
}

/**
 * A document that is the same for all clients. Its bytes, their compressed form and its ETags are created on first use and shared by all
 * responses, so a slow reader holds no memory of its own.
 */
export class SharedDocument {
  readonly #options: SharedDocumentOptions;
  #plain: Buffer | undefined;
  #hash: string | undefined;
  #gzip: Promise<Buffer> | undefined;

  constructor(options: SharedDocumentOptions) {
    this.#options = options;
  }

  /** Sends the document, or 304 if the client has it. */
  async serve(request: ApiRequest): Promise<void> {
    const { mediaType, headers, compressible = true } = this.#options;
    const plain = (this.#plain ??= Buffer.from(this.#options.make()));
    this.#hash ??= createHash('sha256').update(plain).digest('base64url');
    const mayCompress = compressible && plain.length >= DOCUMENT_GZIP_THRESHOLD_BYTES;
    const compressed = mayCompress && acceptsGzip(request.headers['accept-encoding']);
    const shared: OutgoingHttpHeaders = {
      ...headers,
      ...(mayCompress ? { vary: 'Accept-Encoding' } : {}),
      etag: compressed ? `"${this.#hash}-gzip"` : `"${this.#hash}"`,
    };
    if (matchesEtag(request.headers['if-none-match'], String(shared.etag))) return sendNothing(request, 304, shared);
    if (!compressed) return sendResponse(request, 200, mediaType, plain, shared);
    const bytes = await (this.#gzip ??= compress(plain));
    sendResponse(request, 200, mediaType, bytes, { ...shared, 'content-encoding': 'gzip' });
  }
}

/** Matches If-None-Match: `*`, or a list of tags; a weak tag equals the strong one with its text (RFC 9110 section 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag);
}
