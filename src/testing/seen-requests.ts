import type { ApiRequest } from '../endpoints/request/api-request.js';
import type { RequestMatch, SeenRequest } from './test-server.js';
import { isMatch } from './orders/fault-orders.js';

type Seen = { -readonly [K in keyof SeenRequest]: SeenRequest[K] };

const MOST = 10_000;
const LONGEST_TEXT = 1024;

/** The newest requests, for tests that ask what happened. */
export class SeenRequests {
  readonly #clock: () => number;
  #requests: Seen[] = [];

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  add(request: ApiRequest, user: string): Seen {
    const { info, url, userAgent } = request;
    const seen: Seen = {
      time: new Date(this.#clock()).toISOString(),
      user: user.slice(0, LONGEST_TEXT),
      userAgent: userAgent.slice(0, LONGEST_TEXT),
      verb: info.verb,
      resource: [info.resource, info.subresource].filter(Boolean).join('/'),
      namespace: info.namespace,
      name: info.name,
      path: url.path.slice(0, LONGEST_TEXT),
    };
    this.#requests.push(seen);
    if (this.#requests.length >= 2 * MOST) this.#requests = this.#requests.slice(-MOST);
    request.response.once('close', () => {
      if (request.progress.respondedAt > 0 && !seen.fault?.includes('cut')) seen.status = request.response.statusCode;
    });
    return seen;
  }

  clear(): void {
    this.#requests = [];
  }

  list(match: RequestMatch): SeenRequest[] {
    return this.#requests
      .slice(-MOST)
      .filter((seen) => isMatch(match, seen))
      .map((seen) => ({ ...seen }));
  }
}
