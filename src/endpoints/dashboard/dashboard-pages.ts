import { Injectable } from '@nestjs/common';
import { SharedDocument } from '../response/shared-document.js';
import { HttpSettings } from '../settings/http-settings.js';
import { cacheControl, DASHBOARD_HEADERS, dashboardAssets } from './dashboard-assets.js';

/**
 * The dashboard's files, read on first use. They need no token: a browser sends none when it loads a page, and there is nothing secret in
 * them. What the page shows comes from the API, by its user's own rights.
 */
@Injectable()
export class DashboardPages {
  /** By their paths below /ui/, '' for the page itself; none if the dashboard is switched off or was not built. */
  readonly files: ReadonlyMap<string, SharedDocument>;

  constructor({ ui }: HttpSettings) {
    const assets = ui ? dashboardAssets() : [];
    this.files = new Map(
      assets.map((asset) => {
        const headers = { ...DASHBOARD_HEADERS, 'cache-control': cacheControl(asset) };
        return [asset.path, new SharedDocument({ mediaType: asset.mediaType, headers, make: asset.read })];
      }),
    );
  }
}
