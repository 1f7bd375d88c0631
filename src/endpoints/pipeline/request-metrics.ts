import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { ApiRequest } from '../request/api-request.js';
import type { Route } from '../routing/route.js';
import { InFlight } from '../metrics/in-flight.js';
import { RequestFamilies, RequestSeries } from '../metrics/request-series.js';

const APPLY_PATCH = 'application/apply-patch+yaml';

/** The series of a request depend on its route, kind and `dryRun`; the latter two are indexes. */
const PLAIN = 0;
const WATCH = 1;
const APPLY = 2;
const DRY_RUNS = ['', 'All', 'invalid'];

/** Counts requests from routing until their end. Like upstream, it does not count requests that are denied before that. */
export class RequestMetrics {
  readonly #families: RequestFamilies;
  readonly #readOnly = new InFlight();
  readonly #mutating = new InFlight();

  constructor(registry: MetricRegistry) {
    this.#families = new RequestFamilies(registry);
    const options = {
      name: 'apiserver_current_inflight_requests',
      help: 'Largest number of concurrent requests, other than watches, in the last second.',
      labels: ['request_kind'],
    };
    registry.gauge(options, (gauge) => {
      const now = performance.now();
      gauge.with('readOnly').set(this.#readOnly.most(now));
      gauge.with('mutating').set(this.#mutating.most(now));
    });
  }

  begin(request: ApiRequest, route: Route): void {
    const series = this.#seriesOf(request, route);
    if (!series) return;
    series.begin();
    const inFlight = series.isMutating ? this.#mutating : this.#readOnly;
    request.admission.countIn(series, series.isLongRunning ? undefined : inFlight, request.receivedAt);
  }

  /** Called once the connection has released the request. */
  end(request: ApiRequest): void {
    const { admission, progress, response } = request;
    const { series, waits } = admission;
    if (!series) return;
    const now = performance.now();
    if (response.headersSent) {
      const seconds = ((progress.respondedAt || now) - request.receivedAt) / 1000;
      series.answered(response.statusCode, seconds, progress.sentBytes, waits);
    } else {
      series.aborted();
    }
    series.end();
  }

  /** Undefined for documents, which upstream does not count either. */
  #seriesOf(request: ApiRequest, route: Route): RequestSeries | undefined {
    if (route.measured === undefined || (route.anyMethod && request.method !== 'GET')) return undefined;
    const kind = kindOf(request);
    const dryRun = dryRunOf(request);
    const all = (route.series ??= []);
    const at = kind * DRY_RUNS.length + dryRun;
    return (all[at] ??= this.#create(request, route, kind, DRY_RUNS[dryRun] ?? ''));
  }

  #create({ method, info }: ApiRequest, { measured = '' }: Pick<Route, 'measured'>, kind: number, dryRun: string): RequestSeries {
    const { apiGroup: group, apiVersion: version, resource, subresource } = info;
    const verb = verbOf(method, measured, kind);
    if (!info.isResourceRequest) {
      const none = { group: '', version: '', resource: '', scope: '', component: '' };
      return new RequestSeries(this.#families, { verb, dryRun, ...none, subresource: info.path });
    }
    return new RequestSeries(this.#families, {
      verb,
      dryRun,
      group,
      version,
      resource,
      subresource,
      scope: measured,
      component: 'apiserver',
    });
  }
}

function kindOf({ method, info, headers }: ApiRequest): number {
  if (info.verb === 'watch') return WATCH;
  return method === 'PATCH' && headers['content-type'] === APPLY_PATCH ? APPLY : PLAIN;
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

function verbOf(method: string, scope: string, kind: number): string {
  if (kind === WATCH) return 'WATCH';
  if (kind === APPLY) return 'APPLY';
  if (method === 'GET' || method === 'HEAD') return scope === 'namespace' || scope === 'cluster' ? 'LIST' : 'GET';
  return METHODS.has(method) ? method : 'other';
}

/** The index in DRY_RUNS. */
function dryRunOf({ url, query }: ApiRequest): number {
  if (!url.rawQuery.includes('dryRun')) return 0;
  const values = query.all('dryRun');
  if (values.length === 0) return 0;
  return values.every((value) => value === 'All') ? 1 : 2;
}
