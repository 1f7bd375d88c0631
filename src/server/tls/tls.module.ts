import { Global, Inject, Injectable, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Access } from '../../auth/access.js';
import { AuthModule } from '../../auth/auth.module.js';
import { AuthSettings } from '../../auth/auth.settings.js';
import { AccessSecrets } from '../../auth/authentication/authentication.js';
import { type TlsMaterial, TLS_MATERIAL } from '../../endpoints/http-server/tls-material.js';
import { Lifecycle } from '../../settings/lifecycle.js';
import { WatchedFiles } from '../../settings/watched-files.js';
import { DatabaseLocation, databasePassword } from '../../storage/database/start/database-url.js';
import { DatabaseInUse } from '../../storage/storage.js';
import { StorageModule } from '../../storage/storage.module.js';
import { systemClock } from '../../telemetry/clock.js';
import { LOGGER } from '../../telemetry/logger.js';
import { ProcessSettings } from '../config/process.settings.js';
import { LoadedSecrets, loadSecrets } from './load-secrets.js';
import { ServingTls } from './serving-tls.js';

/** Reads or makes the secrets with the settings and services that this requires. */
@Injectable()
class SecretsLoader {
  constructor(
    private readonly settings: ProcessSettings,
    private readonly auth: AuthSettings,
    private readonly lifecycle: Lifecycle,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  load({ url, isEmbedded }: DatabaseLocation, { sharedTexts }: DatabaseInUse): Promise<LoadedSecrets> {
    const { settings, auth, logger } = this;
    const sources = {
      config: { ...settings, serviceAccountSigningKeyFile: auth.serviceAccountSigningKeyFile },
      shared: isEmbedded ? undefined : sharedTexts,
      databasePassword: databasePassword(url, process.env),
      logger,
      now: systemClock(),
    };
    return this.lifecycle.phase('reading the keys', () => loadSecrets(sources));
  }
}

const secrets = {
  provide: LoadedSecrets,
  inject: [SecretsLoader, DatabaseLocation, DatabaseInUse],
  useFactory: (loader: SecretsLoader, location: DatabaseLocation, database: DatabaseInUse): Promise<LoadedSecrets> =>
    loader.load(location, database),
};

const servingTls = {
  provide: ServingTls,
  inject: [ProcessSettings, LoadedSecrets, WatchedFiles, Access],
  useFactory: (config: ProcessSettings, loaded: LoadedSecrets, files: WatchedFiles, { clientAuthorities }: Access): ServingTls =>
    new ServingTls({ config, secrets: loaded, files, clientAuthorities }),
};

const tlsMaterial = { provide: TLS_MATERIAL, inject: [ServingTls], useFactory: ({ material }: ServingTls): TlsMaterial => material };

/**
 * The server's secrets, read or created while the objects are read from the database, and its TLS settings. Global, because the layers that use them,
 * authentication and endpoints, are below this one.
 */
@Global()
@Module({
  imports: [StorageModule, AuthModule],
  providers: [SecretsLoader, secrets, { provide: AccessSecrets, useExisting: LoadedSecrets }, servingTls, tlsMaterial],
  exports: [AccessSecrets, TLS_MATERIAL],
})
export class TlsModule {}
