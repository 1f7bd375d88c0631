import type { IncomingMessage, ServerResponse } from 'node:http';

/** Characters that Go's net/http accepts in a Host header (golang.org/x/net/http/httpguts ValidHostHeader). */
const HOST = /^[-\w!$%&'()*+,.:;=[\]~]*$/;

const REASONS = { 400: '400 Bad Request', 501: '501 Not Implemented', 505: '505 HTTP Version Not Supported' } as const;

/**
 * The status of a request that node:http accepts and Go's net/http rejects: other versions, no Host or several, a Host with invalid
 * characters, and transfer codings other than chunked. Undefined for a valid request.
 */
export function http1Fault(raw: IncomingMessage): keyof typeof REASONS | undefined {
  const { httpVersionMajor: major, httpVersionMinor: minor, rawHeaders, headers } = raw;
  if (major !== 1) return major === 0 ? 400 : 505;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1 || (hosts === 0 && minor >= 1)) return 400;
  if (!HOST.test(headers.host ?? '')) return 400;
  const coding = headers['transfer-encoding'];
  return coding !== undefined && coding.toLowerCase() !== 'chunked' ? 501 : undefined;
}

/** Rejects the request and ends its connection, because the start of the next request is uncertain. */
export function refuseHttp1(response: ServerResponse, fault: keyof typeof REASONS): void {
  response.shouldKeepAlive = false;
  response.writeHead(fault, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(REASONS[fault]);
}
