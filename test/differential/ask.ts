import https, { type Agent } from 'node:https';
import { stringify } from 'yaml';
import { writeCbor } from '../conformance/replay/wire/cbor.js';
import { writeProtobuf } from '../conformance/replay/wire/write-protobuf.js';
import type { RawAnswer } from './answers/read-answer.js';
import type { Http2Connection } from './http2-connection.js';
import { tokenOf } from './identities.js';
import type { KnownValues } from './known-values.js';
import type { Plain, Question, QuestionBody } from './question.js';

const TIMEOUT_MS = 60_000;
/** How long the stream of a watch is read. */
const WATCH_MS = 350;
/** How long it is read if the streams differed: a busy machine may have shown a part of one. */
export const SLOW_WATCH_MS = 3000;

/** The address of a server, with the connections to it. */
export interface Server {
  readonly url: string;
  readonly agent: Agent;
  /** Its connection by HTTP/2. */
  readonly http2: Http2Connection;
}

/** Sends a question to one server. If there is no response, the result has status 0 and the reason. */
export async function ask(server: Server, question: Question, known: KnownValues, watchMs = WATCH_MS): Promise<RawAnswer> {
  for (;;) {
    try {
      return question.http2 ? await askByHttp2(server, question, known, watchMs) : await askOnce(server, question, known, watchMs);
    } catch (error) {
      // A kept-alive connection may end at this moment: no server has seen the question. Each try uses up one such connection.
      if (error instanceof ClosedConnectionError) continue;
      return { status: 0, headers: {}, body: Buffer.from(String(error)), open: false };
    }
  }
}

class ClosedConnectionError extends Error {}

function askByHttp2({ http2 }: Server, question: Question, known: KnownValues, watchMs: number): Promise<RawAnswer> {
  const body = question.body && encodeBody(question.body, known);
  const sent = { method: question.method, path: pathOf(question, known), headers: headersOf(question, known, body), body };
  return http2.ask(sent, TIMEOUT_MS, isWatch(question, 'chunked') ? watchMs : undefined);
}

function askOnce({ url, agent }: Server, question: Question, known: KnownValues, watchMs: number): Promise<RawAnswer> {
  const { host, port } = new URL(url);
  const body = question.body && encodeBody(question.body, known);
  const headers = headersOf(question, known, body);
  const path = pathOf(question, known);
  return new Promise((resolve, reject) => {
    const request = https.request({ host: host.split(':')[0], port, path, method: question.method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      let open = false;
      const end = () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks), open });
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', end);
      response.on('error', (error) => (open ? undefined : reject(error)));
      if (response.statusCode !== 200 || !isWatch(question, response.headers['transfer-encoding'])) return;
      setTimeout(() => {
        open = true;
        end();
        request.destroy();
      }, watchMs);
    });
    request.setTimeout(TIMEOUT_MS, () => request.destroy(new Error(`no answer to ${question.method} ${path}`)));
    request.on('error', (error) => reject(request.reusedSocket && isReset(error) ? new ClosedConnectionError() : error));
    request.end(body);
  });
}

function isReset(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}

function isWatch({ method, path, query }: Question, encoding: string | undefined): boolean {
  return method === 'GET' && encoding === 'chunked' && (path.includes('/watch/') || query.some(([name]) => name === 'watch'));
}

function pathOf({ path, query }: Question, known: KnownValues): string {
  const parameters = query.map(([name, value]) => `${name}=${encodeURIComponent(known.fill(value))}`);
  return known.fill(path) + (parameters.length === 0 ? '' : `?${parameters.join('&')}`);
}

function headersOf({ headers, identity, body: sent }: Question, known: KnownValues, body: Buffer | undefined): Record<string, string> {
  const token = tokenOf(identity);
  return {
    'user-agent': 'differential/1',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(sent?.contentType === undefined ? {} : { 'content-type': sent.contentType }),
    ...(body ? { 'content-length': String(body.length) } : {}),
    ...(known.fillAll(headers) as Record<string, string>),
  };
}

function encodeBody({ encoding, value }: QuestionBody, known: KnownValues): Buffer {
  if (encoding === 'raw') return Buffer.from(known.fill(value as string));
  if (encoding === 'base64') return Buffer.from(value as string, 'base64');
  const filled = known.fillAll(value);
  if (encoding === 'json') return Buffer.from(JSON.stringify(filled));
  if (encoding === 'yaml') return Buffer.from(stringify(filled));
  return encoding === 'cbor' ? writeCbor(filled) : writeProtobuf(filled as Plain);
}
