import http2, { type ClientHttp2Session, type IncomingHttpHeaders as Http2Headers } from 'node:http2';
import type { IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { WireObject } from './wire-object.js';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed JSON body; empty if the body is not JSON. */
  readonly json: WireObject;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON. */
  readonly body?: object | string;
  /** Keeps connections; default: each request has its own. */
  readonly agent?: https.Agent;
  readonly timeoutMs?: number;
  /** The only certificate authority that is trusted; default: the server's certificate is not verified. */
  readonly ca?: string;
}

const ADMIN = { authorization: 'Bearer admin-token', 'user-agent': 'test/1' };

/** One HTTP/1.1 request, of the administrator unless the headers say otherwise. A header set to '' is not sent. */
export function ask(url: string, { method = 'GET', headers = {}, body, agent, timeoutMs, ca }: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const payload = typeof body === 'object' ? JSON.stringify(body) : body;
    const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const trust = ca === undefined ? { rejectUnauthorized: false } : { ca };
    const options = { method, ...trust, agent: agent ?? false, headers: headersOf(headers, body), signal };
    const request = https.request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parse(text) }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(payload);
  });
}

/** An HTTP/2 connection. */
export class Http2Client {
  readonly session: ClientHttp2Session;
  readonly [Symbol.dispose] = () => this.close();

  constructor(url: string) {
    this.session = http2.connect(url, { rejectUnauthorized: false });
    this.session.on('error', () => undefined);
  }

  ask(path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      // without this a DELETE ends with its headers
      const options = body === undefined ? {} : { endStream: false };
      const stream = this.session.request({ ':method': method, ':path': path, ...headersOf(headers, body) }, options);
      let answered: Http2Headers = {};
      let text = '';
      stream.on('response', (received) => (answered = received));
      stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      stream.on('end', () => resolve({ status: Number(answered[':status']), headers: answered, text, json: parse(text) }));
      stream.on('error', reject);
      stream.end(typeof body === 'object' ? JSON.stringify(body) : body);
    });
  }

  close(): void {
    this.session.destroy();
  }
}

function headersOf(own: Record<string, string>, body: Ask['body']): Record<string, string> {
  const json = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
  return Object.fromEntries(Object.entries({ ...ADMIN, ...json, ...own }).filter(([, value]) => value !== ''));
}

function parse(text: string): WireObject {
  try {
    return JSON.parse(text) as WireObject;
  } catch {
    return {};
  }
}
