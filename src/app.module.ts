import { type DynamicModule, type Type, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  AuthenticationModule,
  AuthorizationModule,
  CoordinationModule,
  CoreModule,
  EventsModule,
  RbacModule,
  HistoryModule,
} from './apis/groups.module.js';
import { ControllersModule } from './controllers/controllers.module.js';
import { EndpointsModule } from './endpoints/endpoints.module.js';
import { ApiAdapter } from './endpoints/http-server/api-adapter.js';
import { declarationsBelow } from './registry/serves.js';
import { ResourceRegistry } from './registry/resource-registry.js';
import { RuntimeConfig } from './registry/runtime-config.js';
import type { ServerSettings } from './server/config/server-settings.js';
import { SettingsModule } from './server/config/settings.module.js';
import { type ProcessParts, ProcessModule } from './server/process/process.module.js';
import { TlsModule } from './server/tls/tls.module.js';

/**
 * The composition root. The modules below import those of storage, authentication, audit and traces. Discovery lists groups in the order
 * of their modules here.
 */
@Module({
  imports: [
    TlsModule,
    EndpointsModule,
    CoreModule,
    EventsModule,
    AuthenticationModule,
    AuthorizationModule,
    RbacModule,
    CoordinationModule,
    HistoryModule,
    ControllersModule,
  ],
})
export class AppModule {
  /** `modules`: of further groups. */
  static of(settings: ServerSettings, parts: ProcessParts, modules: readonly (Type | DynamicModule)[] = []): DynamicModule {
    return { module: AppModule, imports: [SettingsModule.of(settings), ProcessModule.of(parts), ...modules] };
  }
}

/** Nest parses no bodies and logs nothing; errors of a start reach the caller. */
export const NEST_OPTIONS = { bodyParser: false, logger: false, abortOnError: false } as const;

/** Throws StartError for names in --runtime-config that no module declares; `createApp` would too, but only once the database is open. */
export function checkRuntimeConfig(entries: readonly string[]): void {
  ResourceRegistry.of(declarationsBelow(AppModule), new RuntimeConfig(entries));
}

/**
 * Opens what the settings say and assembles the application; `listen` makes it serve, `close()` drains it: no new connections, watches
 * ended, requests in progress finished or cut off after the grace period. Whatever was opened is stopped by the lifecycle of the parts,
 * also when this rejects.
 */
export async function createApp(settings: ServerSettings, parts: ProcessParts): Promise<NestFastifyApplication> {
  const adapter = new ApiAdapter(settings);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.of(settings, parts), adapter, NEST_OPTIONS);
  await app.init();
  return app;
}
