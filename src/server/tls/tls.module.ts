import { Global, Module } from '@nestjs/common';
import { Access } from '../../auth/access.js';
import { AuthModule } from '../../auth/auth.module.js';
import { AuthSettings } from '../../auth/auth.settings.js';
import { AccessSecrets } from '../../auth/authentication/authentication.js';
import { type TlsMaterial, TLS_MATERIAL } from '../../endpoints/http-server/tls-material.js';
import { Lifecycle } from '../../settings/lifecycle.js';
import { WatchedFiles } from '../../settings/watched-files.js';
import { DatabaseLocation } from '../../storage/database/start/database-location.js';
import { databasePassword } from '../../storage/database/start/database-url.js';
import { Storage } from '../../storage/storage.js';
import { StorageModule } from '../../storage/storage.module.js';
import { systemClock } from '../../telemetry/clock.js';
import { ProcessSettings } from '../config/process.settings.js';
import { LoadedSecrets, loadSecrets } from './load-secrets.js';
import { ServingTls } from './serving-tls.js';

const secrets = {
  provide: LoadedSecrets,
  inject: [ProcessSettings, AuthSettings, DatabaseLocation, Storage, Lifecycle],
  useFactory: (
    settings: ProcessSettings,
    { serviceAccountSigningKeyFile }: AuthSettings,
    { url, isEmbedded }: DatabaseLocation,
    { sharedTexts }: Storage,
    lifecycle: Lifecycle,
  ): Promise<LoadedSecrets> =>
    lifecycle.phase('reading the keys', () =>
      loadSecrets({
        config: { ...settings, serviceAccountSigningKeyFile },
        shared: isEmbedded ? undefined : sharedTexts,
        databasePassword: databasePassword(url, process.env),
        logger: lifecycle.logger,
        now: systemClock(),
      }),
    ),
};

const servingTls = {
  provide: ServingTls,
  inject: [ProcessSettings, LoadedSecrets, WatchedFiles, Access],
  useFactory: (config: ProcessSettings, loaded: LoadedSecrets, files: WatchedFiles, { clientAuthorities }: Access): ServingTls =>
    new ServingTls({ config, secrets: loaded, files, clientAuthorities }),
};

const tlsMaterial = { provide: TLS_MATERIAL, inject: [ServingTls], useFactory: ({ material }: ServingTls): TlsMaterial => material };

/**
 * The server's secrets, read or created after the database is open, and its TLS settings. Global, because the layers that use them,
 * authentication and endpoints, are below this one.
 */
@Global()
@Module({
  imports: [StorageModule, AuthModule],
  providers: [secrets, { provide: AccessSecrets, useExisting: LoadedSecrets }, servingTls, tlsMaterial],
  exports: [AccessSecrets, TLS_MATERIAL],
})
export class TlsModule {}
