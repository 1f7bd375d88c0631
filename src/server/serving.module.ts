import { Global, Module } from '@nestjs/common';
import { Access } from '../auth/access.js';
import { AuthModule } from '../auth/auth.module.js';
import { AuthSettings } from '../auth/auth.settings.js';
import { VERSION_INFO } from '../endpoints/discovery/version-info.js';
import type { TlsMaterial } from '../endpoints/http-server/tls-material.js';
import { TLS_MATERIAL } from '../endpoints/http-server/tls-material.js';
import { PUBLIC_HOST } from '../endpoints/openid/openid-documents.js';
import { ServingSettings } from '../endpoints/serving.settings.js';
import { HttpSettings } from '../endpoints/settings/http-settings.js';
import { WatchedFiles } from '../settings/watched-files.js';
import { ProcessSettings } from './config/process.settings.js';
import { httpSettings } from './lifecycle/http-settings.js';
import { publicHost } from './lifecycle/public-host.js';
import { VERSION } from './lifecycle/version.js';
import { LoadedSecrets } from './tls/load-secrets.js';
import { ServingTls } from './tls/serving-tls.js';

const servingTls = {
  provide: ServingTls,
  inject: [ProcessSettings, LoadedSecrets, WatchedFiles, Access],
  useFactory: (config: ProcessSettings, secrets: LoadedSecrets, files: WatchedFiles, { clientAuthorities }: Access): ServingTls =>
    new ServingTls({ config, secrets, files, clientAuthorities }),
};

const tlsMaterial = { provide: TLS_MATERIAL, inject: [ServingTls], useFactory: ({ material }: ServingTls): TlsMaterial => material };

const http = {
  provide: HttpSettings,
  inject: [ServingSettings, AuthSettings],
  useFactory: (serving: ServingSettings, auth: AuthSettings): HttpSettings => httpSettings({ ...serving, ...auth }),
};

const host = { provide: PUBLIC_HOST, inject: [ProcessSettings], useFactory: publicHost };

const PROVIDERS = [servingTls, tlsMaterial, http, host, { provide: VERSION_INFO, useValue: VERSION }];

/** TLS, limits, version and public name for the endpoints. Global, because the layer of the endpoints is below this one. */
@Global()
@Module({ imports: [AuthModule], providers: PROVIDERS, exports: PROVIDERS.map(({ provide }) => provide) })
export class ServingModule {}
