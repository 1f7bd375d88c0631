import type { LimitedRequest } from './request-limiter.js';

/** The size of a resource's collection. */
interface ResourceSize {
  readonly objects: number;
  readonly bytes: number;
}

/** Looks up a resource by its name with group (`leases.coordination.k8s.io`); returns undefined for one that is not stored. */
export type ResourceSizes = (groupResource: string) => ResourceSize | undefined;

/**
 * Bytes of a list that count as one seat, and the largest list size considered (apiserver util/flowcontrol/request/list_work_estimator.go).
 */
const BYTES_PER_SEAT = 100_000;

/**
 * Estimates the seats of a request: more for a list the more there is to encode, one for all others. The cost of watchers of a written
 * object is not counted, because events are encoded once for all of them.
 */
export class WorkEstimator {
  readonly #sizes: ResourceSizes;

  constructor(sizes: ResourceSizes) {
    this.#sizes = sizes;
  }

  seats(request: LimitedRequest, maximum: number): number {
    const { verb, name, apiGroup, resource } = request.info;
    if ((verb !== 'list' && verb !== 'watch') || name !== '') return 1;
    if (verb === 'watch' && !wantsInitialEvents(request)) return 1;
    const size = this.#sizes(apiGroup === '' ? resource : `${resource}.${apiGroup}`);
    if (!size || size.objects === 0) return 1;
    const fraction = Math.min(1, limitOf(request) / size.objects);
    return Math.min(Math.max(1, Math.ceil((size.bytes * fraction) / BYTES_PER_SEAT)), maximum);
  }
}

/** A watch from the beginning first sends all existing objects, whether it asks for them or not. */
function wantsInitialEvents({ query }: LimitedRequest): boolean {
  const version = query.first('resourceVersion') ?? '';
  return query.first('sendInitialEvents') === 'true' || version === '' || version === '0';
}

function limitOf({ query }: LimitedRequest): number {
  const limit = Number(query.first('limit') ?? 0);
  return limit > 0 ? limit : Infinity;
}
