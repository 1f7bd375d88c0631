import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SERIALIZERS } from './apimachinery/codec/codec-factory.js';
import { kindRegistry } from './apimachinery/codec/kind-registry.js';
import { AuthenticationModule } from './apis/authentication/authentication.module.js';
import { AuthorizationModule } from './apis/authorization/authorization.module.js';
import { CoordinationModule } from './apis/coordination/coordination.module.js';
import { CoreModule } from './apis/core/core.module.js';
import { EventsModule } from './apis/events/events.module.js';
import { RbacModule } from './apis/rbac/rbac.module.js';
import { registeredKinds } from './apis/registered-kinds.js';
import { EndpointsModule } from './endpoints/endpoints.module.js';
import type { HttpApplicationOptions } from './endpoints/http-application-options.js';
import type { HttpServices, MediaTypes } from './endpoints/http-services.js';
import { createHttpServices } from './endpoints/http-services.js';
import { ApiAdapter } from './endpoints/pipeline/nest-adapter.js';

/** The composition root of the HTTP application. */
@Module({})
export class AppModule {
  static register(services: HttpServices, options: HttpApplicationOptions): DynamicModule {
    const endpoints = EndpointsModule.register(services, options);
    return {
      module: AppModule,
      imports: [
        endpoints,
        CoreModule.register(endpoints, services.registry),
        AuthenticationModule.register(endpoints, services.registry),
        AuthorizationModule.register(endpoints, services.registry),
        RbacModule.register(endpoints, services.registry),
        CoordinationModule.register(endpoints, services.registry),
        EventsModule.register(endpoints, services.registry),
      ],
    };
  }
}

/** What the server reads and writes, and which kinds it knows. */
function mediaTypes({ resources }: HttpApplicationOptions): MediaTypes {
  return {
    serializers: SERIALIZERS,
    kinds: kindRegistry(registeredKinds(resources.map(({ definition }) => definition))),
  };
}

/**
 * Builds the application; `listen(port, host)` makes it serve, `close()` drains it: no new connections, watches ended, requests under
 * way finished or cut off after the grace time.
 */
export async function createApp(options: HttpApplicationOptions): Promise<NestFastifyApplication> {
  const services = createHttpServices(options, mediaTypes(options));
  const { pipeline, underWay, ledger } = services;
  const adapter = new ApiAdapter({
    tls: options.tls,
    connections: options.connections,
    http2Implementation: options.http2Implementation,
    pipeline,
    underWay,
    ledger,
    shutdownGraceMs: options.shutdownGraceMs,
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.register(services, options), adapter, {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  await app.init();
  return app;
}
