import type { OutgoingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Controller, Get, Inject, Injectable, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { parseAccept } from '../negotiation/output-negotiation.js';
import { RequestPipeline } from '../pipeline/request-pipeline.js';
import type { ApiRequest } from '../request/api-request.js';
import { GZIP_THRESHOLD_BYTES, acceptsGzip, sendNothing, sendResponse } from '../response/send-response.js';
import { matchesEtag } from '../response/shared-document.js';
import { RouteTable } from '../routing/route-table.js';
import { type OpenApiDocument, OpenApiDocuments } from './openapi-documents.js';
import { openapiV2Protobuf } from './openapi-v2-protobuf.js';
import { openapiV3Protobuf } from './openapi-v3-protobuf.js';

const YEAR_MS = 365 * 24 * 3_600_000;
const JSON_TYPE = 'application/json';

/** The protobuf types that clients may send in Accept. Older ones contain an @, which is invalid in a media type. */
const protobufTypes = (version: string) => ({
  sent: `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`,
  accepted: [`com.github.proto-openapi.spec.${version}.v1.0+protobuf`, `com.github.proto-openapi.spec.${version}@v1.0+protobuf`],
});
const V2 = protobufTypes('v2');
const V3 = protobufTypes('v3');

/**
 * Serves /openapi/v2 and /openapi/v3 like kube-openapi's handlers: ETag and 304, hashed URLs that never change, JSON or protobuf, and any
 * method. Documents are created, encoded and compressed once, on first use.
 */
@Injectable()
export class OpenApiHandler {
  readonly #documents: OpenApiDocuments;
  readonly #lastModified: string;
  readonly #encoded = new Map<string, Buffer>();

  constructor(documents: OpenApiDocuments, @Inject(CLOCK) now: Clock) {
    this.#documents = documents;
    this.#lastModified = new Date(now()).toUTCString();
  }

  writeV2(request: ApiRequest): void {
    const headers: OutgoingHttpHeaders = { vary: 'Accept-Encoding, Accept' };
    const type = negotiate(request.accept, V2);
    if (type === undefined) return sendNothing(request, 406, headers);
    const document = this.#documents.v2;
    const bytes = this.#once(`v2 ${type}`, () => (type === JSON_TYPE ? Buffer.from(document.json) : openapiV2Protobuf(document.value)));
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return this.#send(request, document, type, bytes, headers);
    const compressed = this.#once(`v2 ${type} gzip`, () => gzipSync(bytes));
    this.#send(request, document, type, compressed, { ...headers, 'content-encoding': 'gzip' });
  }

  writeIndex(request: ApiRequest): void {
    sendResponse(
      request,
      200,
      'text/plain; charset=utf-8',
      this.#once('index', () => Buffer.from(this.#documents.index())),
    );
  }

  /** `path` is what follows /openapi/v3/. */
  writeV3(request: ApiRequest, path: string): void {
    const document = this.#documents.v3.get(path);
    if (document === undefined) return sendNothing(request, 404);
    const headers: OutgoingHttpHeaders = { vary: 'Accept' };
    const type = negotiate(request.accept, V3);
    if (type === undefined) return sendNothing(request, 406, headers);
    const hash = request.query.first('hash') ?? '';
    if (hash !== '') {
      if (hash !== document.hash) {
        const location = `/openapi/v3/${path}?hash=${document.hash}`;
        return sendNothing(request, 301, { ...headers, 'content-type': JSON_TYPE, location });
      }
      headers['cache-control'] = 'public, immutable';
      headers['expires'] = new Date(Date.parse(this.#lastModified) + YEAR_MS).toUTCString();
    }
    const bytes = this.#once(`${path} ${type}`, () =>
      type === JSON_TYPE ? Buffer.from(document.json) : openapiV3Protobuf(document.value),
    );
    if (bytes.length < GZIP_THRESHOLD_BYTES || !acceptsGzip(request.headers['accept-encoding'])) {
      return this.#send(request, document, type, bytes, headers);
    }
    const compressed = this.#once(`${path} ${type} gzip`, () => gzipSync(bytes));
    this.#send(request, document, type, compressed, { ...headers, 'content-encoding': 'gzip', vary: 'Accept, Accept-Encoding' });
  }

  #send(request: ApiRequest, document: OpenApiDocument, type: string, bytes: Buffer, headers: OutgoingHttpHeaders): void {
    const all = { ...headers, etag: `"${document.hash}"`, 'last-modified': this.#lastModified };
    if (matchesEtag(request.headers['if-none-match'], all.etag)) return sendNothing(request, 304, all);
    sendResponse(request, 200, type, bytes, all);
  }

  #once(name: string, make: () => Buffer): Buffer {
    const known = this.#encoded.get(name) ?? make();
    this.#encoded.set(name, known);
    return known;
  }
}

/** The Content-Type of the response; undefined if the client accepts neither form. */
function negotiate(accept: string | undefined, protobuf: typeof V2): string | undefined {
  for (const clause of parseAccept(accept === undefined || accept === '' ? '*/*' : accept)) {
    if (clause.type !== 'application' && clause.type !== '*') continue;
    if (clause.subtype === '*' || clause.subtype === 'json') return JSON_TYPE;
    if (protobuf.accepted.includes(clause.subtype)) return protobuf.sent;
  }
  return undefined;
}

const V3_ROOT = '/openapi/v3/';

/** /openapi/v2 and /openapi/v3. All methods get the same response. */
@Controller('openapi')
export class OpenApiController {
  constructor(
    private readonly pipeline: RequestPipeline,
    private readonly handler: OpenApiHandler,
    routes: RouteTable,
  ) {
    routes.plain('/openapi/v2', '/openapi/v2');
    routes.plain('/openapi/v3', '/openapi/v3');
    routes.prefix(V3_ROOT, `${V3_ROOT}-`);
  }

  @Get('v2')
  v2(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.handler.writeV2(request));
  }

  @Get('v3')
  index(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.handler.writeIndex(request));
  }

  @Get('v3/:path')
  v3(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.handler.writeV3(request, request.url.path.slice(V3_ROOT.length)));
  }
}
