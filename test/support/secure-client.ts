import https from 'node:https';
import http2 from 'node:http2';
import type { OutgoingHttpHeaders } from 'node:http';
import type { TestCertificate } from './certificates.js';

export interface SecureRequest {
  readonly method?: string;
  /** Sent unchanged. */
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
  /** The client's certificates: its own and the intermediate ones. */
  readonly shows?: readonly TestCertificate[];
  readonly protocol?: 'http/1.1' | 'h2';
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
  const tls = { host: '127.0.0.1', port, rejectUnauthorized: false, ...credentials };
  return request.protocol === 'h2' ? overHttp2(tls, request) : overHttp1(tls, request);
}

type Tls = https.RequestOptions & { readonly port: number };

function overHttp1(tls: Tls, { method = 'GET', path = '/', headers, body }: SecureRequest): Promise<SecureAnswer> {
  return new Promise((resolve, reject) => {
    const sent = https.request({ ...tls, method, path, headers, agent: false }, (response) => {
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

function overHttp2(tls: Tls, { method = 'GET', path = '/', headers, body }: SecureRequest): Promise<SecureAnswer> {
  return new Promise((resolve, reject) => {
    const session = http2.connect(`https://127.0.0.1:${tls.port}`, tls as http2.SecureClientSessionOptions);
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
