import type { IncomingMessage, ServerResponse } from 'node:http';

/** Characters that Go's net/http accepts in a Host header (golang.org/x/net/http/httpguts ValidHostHeader). */
const HOST = /^[-\w!$%&'()*+,.:;=[\]~]*$/;

const BEYOND_INT64 = 2 ** 63;

/** Why Go refuses a request; after the status, its reason phrase and its body. */
const REASONS = {
  '400 Bad Request': '400 Bad Request',
  '400 Bad Request: missing required Host header': '400 Bad Request: missing required Host header',
  '400 Bad Request: malformed Host header': '400 Bad Request: malformed Host header',
  '501 Not Implemented': 'Unsupported transfer encoding',
  '505 HTTP Version Not Supported: unsupported protocol version': '505 HTTP Version Not Supported: unsupported protocol version',
} as const;

type Http1Fault = keyof typeof REASONS;

/**
 * The status line of a request that node:http accepts and Go's net/http rejects: other versions, no Host or several, a Host with invalid
 * characters, lengths beyond 64 bits, and transfer codings other than chunked. Undefined for a valid request.
 */
export function http1Fault(raw: IncomingMessage): Http1Fault | undefined {
  const { httpVersionMajor: major, httpVersionMinor: minor, rawHeaders, headers } = raw;
  if (major !== 1) return major === 0 ? '400 Bad Request' : '505 HTTP Version Not Supported: unsupported protocol version';
  const hosts = hostsIn(rawHeaders);
  if (hosts === 0 && minor >= 1) return '400 Bad Request: missing required Host header';
  if (hosts > 1 || Number(headers['content-length'] ?? 0) >= BEYOND_INT64) return '400 Bad Request';
  if (!HOST.test(headers.host ?? '')) return '400 Bad Request: malformed Host header';
  const coding = headers['transfer-encoding'];
  return coding !== undefined && coding.toLowerCase() !== 'chunked' ? '501 Not Implemented' : undefined;
}

function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

/** Rejects the request and ends its connection, because the start of the next request is uncertain. */
export function refuseHttp1(response: ServerResponse, fault: Http1Fault): void {
  response.shouldKeepAlive = false;
  const body = REASONS[fault];
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  response.writeHead(Number(fault.slice(0, 3)), fault.slice(4), headers);
  response.end(body);
}

/** An expectation other than 100-continue gets 417 (Go: net/http sendExpectationFailed). */
export function refuseExpectation(response: ServerResponse): ServerResponse {
  response.shouldKeepAlive = false;
  response.writeHead(417, { 'content-length': 0 });
  return response.end();
}
