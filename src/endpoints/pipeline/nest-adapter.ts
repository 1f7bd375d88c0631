import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { TlsMaterial } from '../http-application-options.js';
import type { ConnectionLimits } from '../connections/connection-limits.js';
import type { Http2Implementation } from '../connections/http2-session.js';
import { ConnectionSweep } from '../connections/connection-sweep.js';
import { DEFAULT_PATIENCE } from '../connections/patience.js';
import { Goaway } from '../connections/goaway.js';
import { OpenConnections } from '../connections/open-connections.js';
import { WritableResponse } from '../http2/writable-response.js';
import type { MemoryLedger } from '../ledger/memory-ledger.js';
import type { RawRequest, RawResponse } from '../request/raw-exchange.js';
import { createApiHttpServer } from './api-http-server.js';
import { http1Fault } from './http1-rules.js';
import { apiRequestOf } from './request-pipeline.js';
import type { Dispatch, RequestPipeline } from './request-pipeline.js';
import type { ParserError } from './unparsed-request.js';
import { requestWithUnknownMethod } from './unparsed-request.js';
import type { RequestsUnderWay } from './requests-under-way.js';

/** Takes streams of Node. */
type FrameworkHandler = (raw: RawRequest, response: Writable) => void;

const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];

export interface ApiAdapterOptions {
  readonly tls: TlsMaterial;
  readonly connections: ConnectionLimits;
  readonly http2Implementation: Http2Implementation;
  readonly pipeline: RequestPipeline;
  readonly underWay: RequestsUnderWay;
  readonly ledger: MemoryLedger;
  readonly shutdownGraceMs: number;
}

/**
 * Nest on Fastify, behind the request pipeline: Fastify sees only requests that are admitted and whose route exists, under the plain
 * URL of that route. It parses no body, no query and no parameters, and answers nothing on its own.
 */
export class ApiAdapter extends FastifyAdapter {
  readonly #options: ApiAdapterOptions;
  readonly #connections: OpenConnections;
  readonly #sweep: ConnectionSweep;

  constructor(options: ApiAdapterOptions) {
    // Fastify hands out its handler while it is being made.
    let dispatch: Dispatch = () => undefined;
    let goaway: Goaway | undefined;
    super({
      logger: false,
      exposeHeadRoutes: false,
      return503OnClosing: false,
      skipMiddie: true,
      multipart: false,
      serverFactory: (handler: FrameworkHandler) => {
        dispatch = (raw, response) => handler(raw, frameworkResponse(response));
        const listener = (raw: RawRequest, response: RawResponse) => {
          options.pipeline.accept(raw, response, dispatch);
          goaway?.consider(raw);
        };
        return createApiHttpServer({ ...options, limits: options.connections, listener });
      },
      clientErrorHandler: (error: ParserError, socket: Socket) => answerParserError(options.pipeline, dispatch, error, socket),
    } as never);
    this.#options = options;
    for (const method of METHODS_WITH_BODY) {
      this.instance.addHttpMethod(method, { hasBody: false, overrideExisting: true });
    }
    const { goawayChance, patience = DEFAULT_PATIENCE } = options.connections;
    this.#connections = new OpenConnections(this.instance.server as never, {
      ...options.connections,
      onLimit: (limit) => options.ledger.count(limit),
    });
    this.#sweep = new ConnectionSweep(this.instance.server as never, patience);
    if (goawayChance > 0) goaway = new Goaway(goawayChance, this.#connections);
  }

  /** Nest installs its own handlers for what it does not find; here only faults of ours end up there. */
  override setErrorHandler(): never {
    return this.instance.setErrorHandler((error, request) => {
      this.#options.pipeline.fail(apiRequestOf(request.raw), error);
    }) as never;
  }

  override setNotFoundHandler(): never {
    return this.instance.setNotFoundHandler((request, reply) => {
      reply.hijack();
      const { url } = request.raw;
      this.#options.pipeline.fail(apiRequestOf(request.raw), new Error(`no handler is bound to ${url ?? ''}`));
    }) as never;
  }

  /** Stops taking connections, ends watches, lets the other requests finish, and cuts off what is left after the grace time. */
  override async close(): Promise<undefined> {
    const closed = super.close() as Promise<undefined>;
    this.#connections.retire();
    await this.#options.underWay.drain(this.#options.shutdownGraceMs);
    this.#options.pipeline.close();
    this.#sweep.close();
    this.#connections.destroy();
    return closed;
  }
}

function frameworkResponse(response: RawResponse): Writable {
  return response instanceof ServerResponse ? response : new WritableResponse(response);
}

/**
 * HTTP/1.1 that its parser refuses. Nothing of it reaches Fastify. The answer to a whole request before it, where one is still under
 * way, is the connection's last.
 */
function answerParserError(pipeline: RequestPipeline, dispatch: Dispatch, error: ParserError, socket: Socket): void {
  const { _httpMessage: pending } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (pending && (pending.headersSent || pending.req.complete)) return endAfter(pending, socket);
  if (pending) return refuse(socket);
  const request = requestWithUnknownMethod(error, socket);
  if (request && http1Fault(request.raw) === undefined) pipeline.accept(request.raw, request.response, dispatch);
  else refuse(socket);
}

/** Whose parser has given up while an answer is under way; it fails again with everything that the client sends. */
const ending = new WeakSet<Socket>();

function endAfter(pending: ServerResponse, socket: Socket): void {
  if (ending.has(socket)) return;
  ending.add(socket);
  pending.once('close', () => socket.destroy());
}

function refuse(socket: Socket): void {
  if (!socket.writable) return;
  socket.end('HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request');
}
