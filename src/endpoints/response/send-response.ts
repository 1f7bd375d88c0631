import { type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Encoded, EncodedList } from '../../apimachinery/codec/serializer/serializer.js';
import { whenReady } from '../../time/backoff.js';
import type { RawResponse } from '../exchange/raw-exchange.js';
import type { ApiRequest } from '../request/api-request.js';

type Body = Encoded | EncodedList;

/** A long body is written to an HTTP/1.1 connection in parts of this size. */
const PART_BYTES = 64 * 1024;
/** Memory of an HTTP/1.1 response, besides its body, while it waits for the responses before it. */
const QUEUED_RESPONSE_BYTES = 8 * 1024;

/**
 * The bytes of a list in portions are shared with other lists, so only this fraction is charged to one response: ten times what its
 * references take, to account for replaced states that they keep alive.
 */
const SHARED_BY = 16;

/**
 * Sends the body of a response whose headers have been set, and ends it. Everything has been encoded; the portions of a long list are only
 * copied, 64 KiB for each 64 KiB that the client has read.
 */
function sendBody(request: ApiRequest, body: Body): void {
  const { method, response } = request;
  if (method === 'HEAD') response.end();
  else if (!(body instanceof EncodedList)) sendBytes(request, body);
  else if (!body.isLong) sendBytes(request, body.bytes());
  else if (request.progress.hold(request.account, body.length / SHARED_BY)) sendChunks(response, body.chunks());
  else response.destroy();
}

/**
 * Over HTTP/1.1, a body is charged while the socket does not have all of it: because it is long, or because responses to earlier requests
 * have not been sent yet. A socket reports only completed writes, so a long body is written in parts; this distinguishes a client that
 * reads slowly from one that reads nothing. HTTP/2 does all of this itself.
 */
function sendBytes(request: ApiRequest, body: Encoded): void {
  const { response } = request;
  const isLong = body.length > PART_BYTES;
  if (!(response instanceof ServerResponse) || (response.socket && !isLong)) response.end(body);
  else if (!request.progress.hold(request.account, body.length + QUEUED_RESPONSE_BYTES)) request.raw.socket.destroy();
  else if (isLong) sendChunks(response, parts(typeof body === 'string' ? Buffer.from(body) : body));
  else response.end(body);
}

function* parts(body: Buffer): Generator<Buffer, Buffer> {
  let at = 0;
  for (; at + PART_BYTES < body.length; at += PART_BYTES) yield body.subarray(at, at + PART_BYTES);
  return body.subarray(at);
}

/** Each chunk is assembled when the kernel has taken the previous one, so a client that reads slowly costs no more memory than others. */
function sendChunks(response: RawResponse, chunks: Iterator<Buffer, Buffer>): void {
  const sendNext = (error?: Error | null): void => {
    // The connection is closed, which is reported elsewhere.
    if (error) return;
    const { done, value } = chunks.next();
    // Ends together with the last bytes: a separate end would cost one more write, and the client one more wait.
    if (done) response.end(value);
    else response.write(value, sendNext);
  };
  sendNext();
}

const compress = promisify(gzip);

/**
 * Compresses a limited number of bodies at a time. Each takes the memory of the body and of its compressed form, and one of libuv's four
 * threads. A body above the limit is sent uncompressed instead of waiting.
 */
export class Compressor {
  readonly #places: number;
  #busy = 0;

  constructor(places: number) {
    this.#places = places;
  }

  /** The compressed body; undefined at the limit. */
  compress(body: Body): Promise<Buffer> | undefined {
    if (this.#busy >= this.#places) return undefined;
    this.#busy++;
    return compress(body instanceof EncodedList ? body.bytes() : body, { level: 1 }).finally(() => this.#busy--);
  }
}

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

const TOTAL_RUNES = 4096;
const EACH_RUNES = 256;

/**
 * Builds the values of Warning headers (RFC 7234, code 299, no agent) as upstream does (apiserver endpoints/filters/warning.go): if all of
 * them together exceed 4096 runes, each is cut to 256, and those beyond the limit are dropped. Texts that cannot be sent are dropped too.
 */
export function warningHeaders(texts: readonly string[]): string[] {
  const whole = fitting(texts, false) ?? fitting(texts, true) ?? [];
  // A raw header value is bytes: node:http writes latin1 characters as bytes, so UTF-8 is passed in that form.
  return whole.map((text) => Buffer.from(`299 - "${text.replace(/[\\"]/g, '\\$&')}"`, 'utf8').toString('latin1'));
}

/** The texts that fit, cut if allowed; undefined if they would have to be cut and may not be. */
function fitting(texts: readonly string[], cut: boolean): string[] | undefined {
  const sent: string[] = [];
  let total = 0;
  for (const text of texts) {
    if (cut && total >= TOTAL_RUNES) break;
    // A rune has up to two characters: the beginning of a long text tells whether it fits.
    const runes = [...text.slice(0, 2 * (TOTAL_RUNES + 1))];
    const shown = cut && runes.length > EACH_RUNES ? runes.slice(0, EACH_RUNES).join('') : text;
    if (!isSendable(shown)) continue;
    total += cut ? Math.min(runes.length, EACH_RUNES) : runes.length;
    if (!cut && total > TOTAL_RUNES) return undefined;
    sent.push(shown);
  }
  return sent;
}

function isSendable(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return !/[\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u.test(text);
}

/** Whether Accept-Encoding lists `gzip`. Like upstream, this ignores qualities. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const value = Array.isArray(header) ? header[0] : header;
  return value !== undefined && value.split(',').some((token) => token.trim() === 'gzip');
}
