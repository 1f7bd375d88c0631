import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Access } from '../../auth/access.js';
import { LOGGER } from '../../telemetry/logger.js';
import type { ApiRequest } from '../request/api-request.js';
import { SharedDocument } from '../response/shared-document.js';
import { ServingSettings } from '../settings/serving.settings.js';
import { cacheControl, DASHBOARD_HEADERS, dashboardAssets } from './dashboard-assets.js';
import { SignInPage } from './sign-in-page.js';

/** A file as it is served. */
interface ServedFile {
  serve(request: ApiRequest): Promise<void>;
}

/**
 * The dashboard's files, read on first use. They need no token: a browser sends none when it loads a page, and there is nothing secret in
 * them. What the page shows comes from the API, by its user's own rights.
 */
@Injectable()
export class DashboardPages {
  /** By their paths below /ui/, '' for the page itself; none if the dashboard is switched off or was not built. */
  readonly files: ReadonlyMap<string, ServedFile>;

  constructor({ ui }: ServingSettings, { signIn }: Access, @Inject(LOGGER) logger: Logger) {
    const assets = ui ? dashboardAssets() : [];
    this.files = new Map(
      assets.map((asset): [string, ServedFile] => {
        if (asset.path === '' && signIn) return ['', new SignInPage(asset, signIn, logger)];
        const headers = { ...DASHBOARD_HEADERS, 'cache-control': cacheControl(asset) };
        return [asset.path, new SharedDocument({ mediaType: asset.mediaType, headers, make: asset.read })];
      }),
    );
  }
}
