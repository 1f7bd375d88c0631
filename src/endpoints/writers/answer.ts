import type { OutgoingHttpHeaders } from 'node:http';
import type { ApiRequest } from '../request/api-request.js';
import { Compressor } from './compressor.js';
import type { Body } from './send-body.js';
import { sendBody } from './send-body.js';
import { warningHeaders } from './warning-header.js';

/** Answers above this are compressed for clients that say so (apiserver responsewriters/writers.go). */
export const GZIP_THRESHOLD_BYTES = 128 * 1024;
/** Bodies that are compressed at a time, in the whole process. */
const compressor = new Compressor(2);

/** The headers that every answer carries (semantics: audit-id, cache-control, warnings); `extra` wins. */
export function answerHeaders(request: ApiRequest, extra: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { 'audit-id': request.auditId, 'cache-control': 'no-cache, private', ...extra };
  const { classification } = request;
  if (classification) {
    headers['x-kubernetes-pf-flowschema-uid'] = classification.flowSchemaUid;
    headers['x-kubernetes-pf-prioritylevel-uid'] = classification.priorityLevelUid;
  }
  // Node's types know a single Warning only; both protocols send one line for each.
  if (request.warnings.length > 0) (headers as Record<string, string[]>).warning = warningHeaders(request.warnings);
  return headers;
}

/** Sends a complete answer. Does nothing when one is already on its way or the client is gone. */
export function sendAnswer(request: ApiRequest, status: number, contentType: string, body: Body, extra?: OutgoingHttpHeaders): void {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const headers = { 'content-type': contentType, 'content-length': length, ...extra };
  const wantsGzip = length > GZIP_THRESHOLD_BYTES && !extra?.['content-encoding'] && acceptsGzip(request.headers['accept-encoding']);
  const compressed = wantsGzip && !isAnswered(request) ? compressor.compress(body) : undefined;
  if (compressed) void sendCompressed(request, status, headers, { plain: body, compressed });
  else finish(request, status, headers, body);
}

/** Sends a text that is no API object, with Go's `http.Error` headers. */
export function sendText(request: ApiRequest, status: number, text: string, extra?: OutgoingHttpHeaders): void {
  sendAnswer(request, status, 'text/plain; charset=utf-8', text, { 'x-content-type-options': 'nosniff', ...extra });
}

/** The 429 of the limits (apiserver filters/maxinflight.go). */
export function sendTooManyRequests(request: ApiRequest, retryAfterSeconds: number): void {
  sendText(request, 429, 'Too many requests, please try again later.\n', { 'retry-after': String(retryAfterSeconds) });
}

/** Sends a status and headers alone. */
export function sendNothing(request: ApiRequest, status: number, headers: OutgoingHttpHeaders = {}): void {
  if (isAnswered(request)) return;
  request.response.writeHead(status, answerHeaders(request, headers));
  endAnswer(request, status, '');
}

/** The exact token `gzip`: upstream does not understand qualities here. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const value = Array.isArray(header) ? header[0] : header;
  return value !== undefined && value.split(',').some((token) => token.trim() === 'gzip');
}

/** The request keeps its seats until its answer is compressed, whether its client waits for it or not. */
async function sendCompressed(
  request: ApiRequest,
  status: number,
  headers: OutgoingHttpHeaders,
  { plain, compressed }: { readonly plain: Body; readonly compressed: Promise<Buffer> },
): Promise<void> {
  request.ticket?.handle();
  const bytes = await compressed.catch(() => undefined);
  if (bytes) {
    const encoding = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' };
    finish(request, status, { ...encoding, ...headers, 'content-length': bytes.length }, bytes);
  } else finish(request, status, headers, plain);
  request.ticket?.handled();
}

function finish(request: ApiRequest, status: number, headers: OutgoingHttpHeaders, body: Body): void {
  if (isAnswered(request)) return;
  request.response.writeHead(status, answerHeaders(request, headers));
  request.sentBytes = Number(headers['content-length']);
  request.answeredAt = performance.now();
  // node:http sends headers in the encoding of a text that follows them, and Warnings are bytes.
  endAnswer(request, status, request.warnings.length > 0 && typeof body === 'string' ? Buffer.from(body) : body);
}

/** The answer leaves when it is recorded, if somebody wants it to wait for that. */
function endAnswer(request: ApiRequest, status: number, body: Body): void {
  const recorded = request.audit?.answered(status);
  if (recorded instanceof Promise) void recorded.then(() => handOver(request, body));
  else handOver(request, body);
}

/** From here on the answer costs memory alone: nothing of it is computed any more, however slowly its client reads. */
function handOver(request: ApiRequest, body: Body): void {
  sendBody(request, body);
  request.handedOver();
}

/** Breaks off an answer that is under way, so that its client cannot take it for a whole one. */
export function cutOff({ response }: ApiRequest): void {
  response.destroy();
}

/** Nothing can be answered any more: something has been, or the client is gone. */
function isAnswered({ response }: ApiRequest): boolean {
  return response.headersSent || response.destroyed;
}
