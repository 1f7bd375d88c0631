import type { OutgoingHttpHeaders } from 'node:http';
import type { ApiRequest } from '../request/api-request.js';
import { Compressor } from './compressor.js';
import { type Body, sendBody } from './send-body.js';
import { warningHeaders } from './warning-headers.js';
import { acceptsGzip } from './accepts-gzip.js';
import { whenReady } from '../../time/when-ready.js';

/** Responses above this size are compressed for clients that accept gzip (apiserver responsewriters/writers.go). */
export const GZIP_THRESHOLD_BYTES = 128 * 1024;
/** At most two bodies are compressed at a time in the whole process. */
const compressor = new Compressor(2);

/** The headers of every response: audit id, cache control, flow control and warnings. `extra` overrides them. */
export function responseHeaders(request: ApiRequest, extra: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { 'audit-id': request.auditId, 'cache-control': 'no-cache, private', ...extra };
  const { classification } = request;
  if (classification) {
    headers['x-kubernetes-pf-flowschema-uid'] = classification.flowSchemaUid;
    headers['x-kubernetes-pf-prioritylevel-uid'] = classification.priorityLevelUid;
  }
  // Node's types allow a single Warning only; both protocols send one line per value.
  if (request.warnings.length > 0) (headers as Record<string, string[]>).warning = warningHeaders(request.warnings);
  return headers;
}

/** Sends a complete response. Does nothing if one has begun or the client is gone. */
export function sendResponse(request: ApiRequest, status: number, contentType: string, body: Body, extra?: OutgoingHttpHeaders): void {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const headers = { 'content-type': contentType, 'content-length': length, ...extra };
  const wantsGzip = length > GZIP_THRESHOLD_BYTES && !extra?.['content-encoding'] && acceptsGzip(request.headers['accept-encoding']);
  const compressed = wantsGzip && !isResponded(request) ? compressor.compress(body) : undefined;
  if (compressed) void sendCompressed(request, status, headers, { plain: body, compressed });
  else finish(request, status, headers, body);
}

/** Sends plain text with the headers of Go's `http.Error`. */
export function sendText(request: ApiRequest, status: number, text: string, extra?: OutgoingHttpHeaders): void {
  sendResponse(request, status, 'text/plain; charset=utf-8', text, { 'x-content-type-options': 'nosniff', ...extra });
}

/** The 429 of the limits (apiserver filters/maxinflight.go). */
export function sendTooManyRequests(request: ApiRequest, retryAfterSeconds: number): void {
  sendText(request, 429, 'Too many requests, please try again later.\n', { 'retry-after': String(retryAfterSeconds) });
}

/** Sends a status and headers without a body. */
export function sendNothing(request: ApiRequest, status: number, headers: OutgoingHttpHeaders = {}): void {
  if (isResponded(request)) return;
  request.response.writeHead(status, responseHeaders(request, headers));
  endResponse(request, status, '');
}

/** The request keeps its seats until the body is compressed, even if the client leaves in the meantime. */
async function sendCompressed(
  request: ApiRequest,
  status: number,
  headers: OutgoingHttpHeaders,
  { plain, compressed }: { readonly plain: Body; readonly compressed: Promise<Buffer> },
): Promise<void> {
  request.admission.ticket?.handle();
  const bytes = await compressed.catch(() => undefined);
  if (bytes) {
    const encoding = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' };
    finish(request, status, { ...encoding, ...headers, 'content-length': bytes.length }, bytes);
  } else finish(request, status, headers, plain);
  request.admission.ticket?.handled();
}

function finish(request: ApiRequest, status: number, headers: OutgoingHttpHeaders, body: Body): void {
  if (isResponded(request)) return;
  request.response.writeHead(status, responseHeaders(request, headers));
  request.progress.respond(Number(headers['content-length']));
  // node:http encodes headers like the text behind them, and Warning headers hold raw bytes.
  endResponse(request, status, request.warnings.length > 0 && typeof body === 'string' ? Buffer.from(body) : body);
}

/** Sends the body, after the audit record has been stored if the audit policy requires it. */
function endResponse(request: ApiRequest, status: number, body: Body): void {
  void whenReady(request.audit?.answered(status), () => handOver(request, body));
}

/** From here on the response costs memory but no computation, however slowly the client reads. */
function handOver(request: ApiRequest, body: Body): void {
  sendBody(request, body);
  request.admission.end();
}

/** Aborts a response that has begun, so that the client cannot mistake it for a complete one. */
export function cutOff({ response }: ApiRequest): void {
  response.destroy();
}

/** Whether no response can be sent any more: one has begun, or the client is gone. */
function isResponded({ response }: ApiRequest): boolean {
  return response.headersSent || response.destroyed;
}
