import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** An error of node:http's parser, with the bytes that it rejected. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  /** Where in them the parser stopped. */
  readonly bytesParsed?: number;
}

// eslint-disable-next-line security/detect-unsafe-regex -- a line break ends each repetition
const HEAD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) (\S+) HTTP\/1\.1\r\n((?:[^\r\n]+\r\n)*)\r\n/;

/**
 * HTTP/1.1 allows any token as a method, node:http only a fixed list. A request that fails only for its method is built by hand, so that it
 * gets the usual response (405 or 404, after authentication). Returns undefined if the bytes are not a request, or if the rejected method is
 * not at their beginning: what stands there may be the body of an earlier request, which must not be read as one of its own.
 */
export function requestWithUnknownMethod(
  error: ParserError,
  socket: Socket,
): { raw: IncomingMessage; response: ServerResponse } | undefined {
  if (error.code !== 'HPE_INVALID_METHOD' || !error.rawPacket) return undefined;
  const match = HEAD.exec(error.rawPacket.toString('latin1'));
  if (!match) return undefined;
  const [, method = '', url, headers = ''] = match;
  if (error.bytesParsed === undefined || error.bytesParsed > method.length) return undefined;
  const raw = new IncomingMessage(socket);
  const lines = headerLines(headers);
  Object.assign(raw, { method, url, httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1, headers: Object.fromEntries(lines) });
  raw.rawHeaders.push(...lines.flat());
  raw.complete = true;
  const response = new ServerResponse(raw);
  // The parser cannot continue on this connection, so it ends after this response.
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.on('finish', () => socket.end());
  return { raw, response };
}

/** Names in lower case, with their values. */
function headerLines(text: string): [string, string][] {
  return text.split('\r\n').flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    return colon > 0 ? [[line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]] : [];
  });
}
