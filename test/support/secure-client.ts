import https from 'node:https';
import http2 from 'node:http2';
import type { OutgoingHttpHeaders } from 'node:http';
import tls, { type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { TestCertificate } from './certificates.js';

export interface SecureRequest {
  readonly method?: string;
  /** Sent unchanged. */
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
  /** The client's certificates: its own and the intermediate ones. */
  readonly shows?: readonly Pick<TestCertificate, 'cert' | 'key'>[];
  readonly protocol?: 'http/1.1' | 'h2';
  /** Further options of the connection. */
  readonly tls?: ConnectionOptions;
  /** Called with the connection before its handshake. */
  readonly onConnection?: (socket: TLSSocket) => void;
}

export interface SecureAnswer {
  readonly status: number;
  readonly text: string;
  readonly auditId: string;
}

const TIMEOUT_MS = 10_000;

/** One request over its own connection, with only the given headers and certificates. */
export function secureRequest(port: number, request: SecureRequest): Promise<SecureAnswer> {
  const [own, ...others] = request.shows ?? [];
  const credentials = own ? { key: own.key, cert: [own, ...others].map(({ cert }) => cert).join('') } : {};
  const protocol = request.protocol ?? 'http/1.1';
  const socket = tls.connect({
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    ALPNProtocols: [protocol],
    ...credentials,
    ...request.tls,
  });
  request.onConnection?.(socket);
  return protocol === 'h2' ? overHttp2(socket, request) : overHttp1(socket, request);
}

function overHttp1(socket: TLSSocket, { method = 'GET', path = '/', headers, body }: SecureRequest): Promise<SecureAnswer> {
  return new Promise((resolve, reject) => {
    const sent = https.request({ createConnection: () => socket, host: '127.0.0.1', method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, auditId: String(response.headers['audit-id']) }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error(`no answer to ${method} ${path}`)));
    sent.end(body);
  });
}

function overHttp2(socket: TLSSocket, { method = 'GET', path = '/', headers, body }: SecureRequest): Promise<SecureAnswer> {
  return new Promise((resolve, reject) => {
    const session = http2.connect('https://127.0.0.1', { createConnection: () => socket });
    session.on('error', reject);
    const stream = session.request({ ...headers, ':method': method, ':path': path });
    let [status, auditId, text] = [0, '', ''];
    stream.on('response', (answer) => {
      status = Number(answer[':status']);
      auditId = String(answer['audit-id']);
    });
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    stream.on('error', reject);
    stream.setTimeout(TIMEOUT_MS, () => reject(new Error(`no answer to ${method} ${path}`)));
    stream.on('end', () => {
      session.destroy();
      resolve({ status, text, auditId });
    });
    stream.end(body);
  });
}
