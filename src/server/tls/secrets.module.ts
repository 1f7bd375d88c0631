import { Global, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { AuthSettings } from '../../auth/auth.settings.js';
import { AccessSecrets } from '../../auth/authentication/authentication.js';
import { DatabaseLocation } from '../../storage/database/start/database-location.js';
import { databasePassword } from '../../storage/database/start/database-url.js';
import { Storage } from '../../storage/open-storage.js';
import { StorageModule } from '../../storage/storage.module.js';
import { systemClock } from '../../telemetry/clock.js';
import { LOGGER } from '../../telemetry/logger.js';
import { ProcessSettings } from '../config/process.settings.js';
import { LoadedSecrets, loadSecrets } from './load-secrets.js';

const secrets = {
  provide: LoadedSecrets,
  inject: [ProcessSettings, AuthSettings, DatabaseLocation, Storage, LOGGER],
  useFactory: (
    settings: ProcessSettings,
    { serviceAccountSigningKeyFile }: AuthSettings,
    { url, isEmbedded }: DatabaseLocation,
    { sharedTexts }: Storage,
    logger: Logger,
  ): Promise<LoadedSecrets> =>
    loadSecrets({
      config: { ...settings, serviceAccountSigningKeyFile },
      shared: isEmbedded ? undefined : sharedTexts,
      databasePassword: databasePassword(url, process.env),
      logger,
      now: systemClock(),
    }),
};

/** The server's secrets, read or created after the database is open. Global, because the authentication layer is below this one. */
@Global()
@Module({
  imports: [StorageModule],
  providers: [secrets, { provide: AccessSecrets, useExisting: LoadedSecrets }],
  exports: [LoadedSecrets, AccessSecrets],
})
export class SecretsModule {}
