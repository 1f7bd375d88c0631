import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { AuthSettings } from '../../auth/auth.settings.js';
import type { ConnectionLimits } from '../connections/connection-limits.js';
import type { FailedHandshakes } from '../connections/failed-handshakes.js';
import { Goaway, OpenConnections } from '../connections/open-connections.js';
import { ConnectionSweep } from '../connections/watched-connection.js';
import type { RawRequest, RawResponse } from '../exchange/raw-exchange.js';
import type { MemoryLedger } from '../ledger/memory-ledger.js';
import { type RequestPipeline, apiRequestOf } from '../pipeline/request-pipeline.js';
import type { Dispatch } from '../pipeline/serving-filters.js';
import type { RequestsInFlight } from '../request/requests-in-flight.js';
import { type ServingSettings, servingLimits } from '../settings/serving.settings.js';
import { createApiHttpServer, http1Fault } from './api-http-server.js';
import { type TlsMaterial, secureContextOptions } from './tls-material.js';

/** The time that requests in progress have to finish when the server stops. */
const SHUTDOWN_GRACE_MS = 10_000;
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];

/** Receives connections and requests from the adapter. Nest creates it after the adapter. */
export interface RequestReceiver {
  readonly pipeline: RequestPipeline;
  readonly inFlight: RequestsInFlight;
  readonly ledger: MemoryLedger;
  readonly handshakes: FailedHandshakes;
}

type AdapterSettings = ServingSettings & Pick<AuthSettings, 'clientCaFile' | 'requestheaderClientCaFile'>;

/** What no setting changes, for tests. */
interface AdapterOptions {
  readonly shutdownGraceMs?: number | undefined;
  readonly connections?: Partial<ConnectionLimits> | undefined;
}

/**
 * Nest on Fastify, behind the request pipeline: Fastify sees only admitted requests whose route exists, under the plain URL of that route.
 * It parses no body, query or parameters, and sends no responses of its own: it never touches the response that it is given.
 */
export class ApiAdapter extends FastifyAdapter {
  readonly #shutdownGraceMs: number;
  readonly #slot: ReceiverSlot;
  readonly #dispatch: Dispatch;
  readonly #connections: OpenConnections;
  readonly #sweep: ConnectionSweep;

  constructor(settings: AdapterSettings, { shutdownGraceMs = SHUTDOWN_GRACE_MS, connections: others }: AdapterOptions = {}) {
    const { http2Implementation, proxyProtocol, clientCaFile, requestheaderClientCaFile } = settings;
    const connections = { ...servingLimits(settings).connections, ...others };
    // Fastify passes out its handler during its own construction.
    let dispatch: Dispatch = () => undefined;
    let goaway: Goaway | undefined;
    const slot = new ReceiverSlot();
    super({
      logger: false,
      exposeHeadRoutes: false,
      return503OnClosing: false,
      skipMiddie: true,
      multipart: false,
      serverFactory: (handler: Dispatch) => {
        dispatch = handler;
        const listener = (raw: RawRequest, response: RawResponse) => {
          if (slot.receiver.inFlight.draining && response instanceof ServerResponse) response.shouldKeepAlive = false;
          if (raw.method === 'OPTIONS' && raw.url === '*') answerOptions(response);
          else slot.receiver.pipeline.accept(raw, response);
          goaway?.consider(raw);
        };
        return createApiHttpServer({
          requestClientCertificates: clientCaFile !== '' || requestheaderClientCaFile !== '',
          http2Implementation,
          proxyProtocol,
          maxStreams: connections.maxStreams,
          listener,
          ledger: () => slot.receiver.ledger,
        });
      },
      clientErrorHandler: (error: ParserError, socket: Socket) => answerParserError(slot.receiver.pipeline, error, socket),
    } as never);
    this.#shutdownGraceMs = shutdownGraceMs;
    this.#slot = slot;
    this.#dispatch = dispatch;
    for (const method of METHODS_WITH_BODY) {
      this.instance.addHttpMethod(method, { hasBody: false, overrideExisting: true });
    }
    const { goawayChance, clientTimeouts } = connections;
    this.#connections = new OpenConnections(this.instance.server as never, {
      ...connections,
      onLimit: (limit) => slot.receiver.ledger.count(limit),
    });
    (this.instance.server as unknown as TlsServer).on('tlsClientError', (error, socket) => slot.receiver.handshakes.add(error, socket));
    this.#sweep = new ConnectionSweep(this.instance.server as never, clientTimeouts);
    if (goawayChance > 0) goaway = new Goaway(goawayChance, this.#connections);
  }

  /** Starts serving; called once, before the server listens. */
  attach(receiver: RequestReceiver, tls: TlsMaterial): void {
    receiver.pipeline.start(this.#dispatch);
    this.#slot.set(receiver);
    (this.instance.server as unknown as TlsServer).setSecureContext(secureContextOptions(tls));
  }

  /** Asks HTTP/2 clients to use new connections; for test servers. */
  leaveConnections(): void {
    this.#connections.leaveAll();
  }

  /** Nest installs its own handlers for unknown routes; here only internal errors reach them. */
  override setErrorHandler(): never {
    return this.instance.setErrorHandler((error, request) => {
      this.#slot.receiver.pipeline.fail(apiRequestOf(request.raw), error);
    }) as never;
  }

  override setNotFoundHandler(): never {
    return this.instance.setNotFoundHandler((request, reply) => {
      reply.hijack();
      const { url } = request.raw;
      this.#slot.receiver.pipeline.fail(apiRequestOf(request.raw), new Error(`no handler is bound to ${url ?? ''}`));
    }) as never;
  }

  /**
   * Stops accepting connections, ends watches, lets other requests finish, and cuts off the rest after the grace period. Connections on which
   * a request may be under way already, as on those that proxies keep, are served for a second; they are told to send no more.
   */
  override async close(): Promise<undefined> {
    // Otherwise Node closes idle connections at once.
    this.instance.server.closeIdleConnections = () => undefined;
    const closed = super.close() as Promise<undefined>;
    this.#connections.leaveAll();
    const { inFlight, pipeline } = this.#slot.receiver;
    const drained = inFlight.drain(this.#shutdownGraceMs);
    await this.#connections.untilGone(this.#shutdownGraceMs);
    await drained;
    // those that came meanwhile
    await inFlight.drain(this.#shutdownGraceMs);
    pipeline.close();
    this.#sweep.close();
    this.#connections.destroy();
    return closed;
  }
}

/** A question about the server as a whole has no resource, and needs no user (Go: net/http globalOptionsHandler). */
function answerOptions(response: RawResponse): void {
  response.writeHead(200, { 'content-length': '0' });
  response.end();
}

/** Holds the adapter's receiver, which Nest creates after the adapter. */
class ReceiverSlot {
  #receiver: RequestReceiver | undefined;

  get receiver(): RequestReceiver {
    if (!this.#receiver) throw new Error('no pipeline is attached to the adapter');
    return this.#receiver;
  }

  set(receiver: RequestReceiver): void {
    this.#receiver = receiver;
  }
}

/**
 * Answers HTTP/1.1 input that the parser refuses; Fastify never sees it. The responses to complete requests before it go first; its own is
 * the last one on the connection.
 */
function answerParserError(pipeline: RequestPipeline, error: ParserError, socket: Socket): void {
  if (!socket.writable || waiting.has(socket)) return;
  const { _httpMessage: pending } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (pending && (pending.headersSent || pending.req.complete)) {
    waiting.add(socket);
    pending.once('close', () => {
      waiting.delete(socket);
      answerParserError(pipeline, error, socket);
    });
    return;
  }
  const request = pending ? undefined : requestWithUnknownMethod(error, socket);
  if (request && http1Fault(request.raw) === undefined) pipeline.accept(request.raw, request.response);
  else refuse(socket, error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request');
}

/** Connections whose parser failed during a response; the parser fails again with all further input. */
const waiting = new WeakSet<Socket>();

function refuse(socket: Socket, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`);
}

/** An error of node:http's parser, with the bytes that it rejected. */
interface ParserError extends Error {
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
