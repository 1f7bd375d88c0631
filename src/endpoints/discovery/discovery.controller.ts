import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { resourceNotFound } from '../../apimachinery/errors/status-errors.js';
import { ResourceRegistry } from '../../registry/resource-registry.js';
import { RequestPipeline } from '../pipeline/request-pipeline.js';
import type { ApiRequest } from '../request/api-request.js';
import { sendResponse } from '../response/send-response.js';
import { RouteTable } from '../routing/route-table.js';
import { AggregatedDiscovery } from './aggregated-discovery.js';
import { type VersionInfo, DiscoveryDocuments, VERSION_INFO } from './discovery-documents.js';
import { DocumentWriter } from './document-writer.js';

/** Discovery: /api, /apis and everything below, /version, and the list of paths at /. */
@Controller()
export class DiscoveryController {
  readonly #documents: DiscoveryDocuments;
  readonly #core: AggregatedDiscovery;
  readonly #groups: AggregatedDiscovery;
  readonly #version: Buffer;
  #paths: Buffer | undefined;

  constructor(
    registry: ResourceRegistry,
    private readonly pipeline: RequestPipeline,
    private readonly writer: DocumentWriter,
    private readonly routes: RouteTable,
    @Inject(VERSION_INFO) version: VersionInfo,
  ) {
    this.#documents = new DiscoveryDocuments(registry);
    this.#core = new AggregatedDiscovery(registry, true, writer.serializers);
    this.#groups = new AggregatedDiscovery(registry, false, writer.serializers);
    this.#version = indented(version);
  }

  @Get('api')
  coreVersions(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => {
      if (!this.#core.answer(request)) this.writer.write(request, this.#documents.apiVersions(addressOf(request)));
    });
  }

  /** As upstream, the aggregated form exists only without the trailing slash. */
  @Get('apis')
  groups(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => {
      if (request.url.path.endsWith('/') || !this.#groups.answer(request)) this.writer.write(request, this.#documents.groupList());
    });
  }

  @Get('apis/:group')
  group(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => {
      const [, group = ''] = request.url.segments;
      this.writer.write(request, this.#documents.group(group));
    });
  }

  @Get(['api/:version', 'apis/:group/:version'])
  resources(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => {
      const { segments } = request.url;
      const [group = '', version = ''] = segments[0] === 'api' ? ['', segments[1]] : segments.slice(1);
      this.writer.write(request, this.#documents.resourceList(group, version));
    });
  }

  /** Always indented, as upstream. */
  @Get('version')
  serverVersion(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => sendJson(request, this.#version));
  }

  @Get()
  paths(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => sendJson(request, (this.#paths ??= indented({ paths: this.routes.paths() }))));
  }
}

function sendJson(request: ApiRequest, bytes: Buffer): void {
  sendResponse(request, 200, 'application/json', bytes);
}

function indented(document: object): Buffer {
  return Buffer.from(JSON.stringify(document, undefined, 2));
}

/** The address at which the client reached the server. */
function addressOf({ headers }: ApiRequest): string {
  const authority = headers[':authority'];
  return headers.host ?? (typeof authority === 'string' ? authority : '');
}

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const JSON_TYPE = 'application/json';
/** The list of definitions. It is always empty, so its version never changes. */
const NONE = Buffer.from(
  `${JSON.stringify({
    kind: 'CustomResourceDefinitionList',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { resourceVersion: '1' },
    items: [],
  })}\n`,
);

/**
 * The empty list of custom resource definitions. kubectl reads it, without discovery, before it says that a kind is unknown; without it,
 * kubectl says that it cannot list them (cli-runtime pkg/resource/crd_finder.go).
 */
@Controller()
export class CustomResourcesController {
  constructor(
    private readonly pipeline: RequestPipeline,
    routes: RouteTable,
  ) {
    routes.unlisted(PATH, JSON_TYPE);
  }

  @Get(PATH)
  list(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => {
      if (request.info.verb !== 'list') throw resourceNotFound();
      sendResponse(request, 200, JSON_TYPE, NONE);
    });
  }
}
