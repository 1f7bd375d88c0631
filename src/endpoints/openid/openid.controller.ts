import { Controller, Get, Inject, Injectable, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access } from '../../auth/access.js';
import { AuthSettings } from '../../auth/auth.settings.js';
import { isDiscoverable, jsonWebKeySet, openIdConfiguration } from '../../auth/authentication/service-account/token-key.js';
import { RequestPipeline } from '../pipeline/request-pipeline.js';
import { SharedDocument } from '../response/shared-document.js';
import { RouteTable } from '../routing/route-table.js';

export const CONFIGURATION_PATH = '/.well-known/openid-configuration';
export const CONFIGURATION_TYPE = 'application/json';
export const JWKS_PATH = '/openid/v1/jwks';
export const JWKS_TYPE = 'application/jwk-set+json';

const HEADERS = { 'cache-control': 'public, max-age=3600' };

/** Injection token of the host name or address by which other machines most likely reach this server. */
export const PUBLIC_HOST = Symbol('PublicHost');

/** The documents by which others verify tokens of service accounts. */
@Injectable()
export class OpenIdDocuments {
  /** Whether the documents are served, which requires that the issuer is an HTTPS URL. */
  readonly areServed: boolean;
  readonly jwks: SharedDocument;
  readonly #makeConfiguration: (port: number) => string;
  readonly #configurations = new Map<number, SharedDocument>();

  constructor({ serviceAccountTokens }: Access, { serviceAccountJwksUri }: AuthSettings, @Inject(PUBLIC_HOST) publicHost: string) {
    const { issuers, keys } = serviceAccountTokens;
    const [issuer = ''] = issuers;
    this.areServed = isDiscoverable(issuer);
    this.jwks = shared(JWKS_TYPE, () => jsonWebKeySet(keys));
    this.#makeConfiguration = (port) =>
      openIdConfiguration({ issuer, jwksUri: serviceAccountJwksUri || `https://${publicHost}:${port}${JWKS_PATH}`, keys });
  }

  /** `port` is the local port of the client's connection; 0 once that is closed. */
  configuration(port: number): SharedDocument {
    const known = this.#configurations.get(port);
    if (known) return known;
    const document = shared(CONFIGURATION_TYPE, () => this.#makeConfiguration(port));
    if (port !== 0) this.#configurations.set(port, document);
    return document;
  }
}

function shared(mediaType: string, make: () => string): SharedDocument {
  return new SharedDocument({ mediaType, headers: HEADERS, make, compressible: false });
}

/** The issuer's configuration and its keys, to users who may GET their paths. */
@Controller()
export class OpenIdController {
  constructor(
    private readonly pipeline: RequestPipeline,
    private readonly documents: OpenIdDocuments,
    routes: RouteTable,
  ) {
    if (!documents.areServed) return;
    routes.document(CONFIGURATION_PATH, CONFIGURATION_TYPE);
    routes.document(JWKS_PATH, JWKS_TYPE);
  }

  @Get(CONFIGURATION_PATH)
  configuration(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.documents.configuration(raw.socket.localPort ?? 0).serve(request));
  }

  @Get(JWKS_PATH)
  jwks(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.documents.jwks.serve(request));
  }
}
