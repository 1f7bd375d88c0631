import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import type { Counter, CounterFamily } from '../../telemetry/metrics/counter.js';
import { type Histogram, exponentialBuckets } from '../../telemetry/metrics/histogram.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { AuthenticationRequest, Authenticator } from './authenticator.js';
import { whenAnswered } from '../../time/when-ready.js';

/** The metrics of one authentication result. */
interface ResultMetrics {
  readonly attempts: Counter;
  readonly seconds: Histogram;
}

const KNOWN_NAMES = new Set(['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default']);

/** Counts another authenticator's results under upstream's metric names (apiserver endpoints/filters/metrics.go). */
export class MeteredAuthenticator implements Authenticator {
  readonly #inner: Authenticator;
  readonly #success: ResultMetrics;
  readonly #failure: ResultMetrics;
  readonly #error: ResultMetrics;
  readonly #users: CounterFamily;

  constructor(inner: Authenticator, registry: MetricRegistry) {
    this.#inner = inner;
    const attempts = registry.counter({ name: 'authentication_attempts', help: 'Authentication attempts by result.', labels: ['result'] });
    const seconds = registry.histogram({
      name: 'authentication_duration_seconds',
      help: 'Duration of authentication.',
      labels: ['result'],
      buckets: exponentialBuckets(0.001, 2, 15),
    });
    this.#users = registry.counter({
      name: 'authenticated_user_requests',
      help: 'Authenticated requests by well-known user name.',
      labels: ['username'],
    });
    const metricsOf = (result: string): ResultMetrics => ({ attempts: attempts.with(result), seconds: seconds.with(result) });
    [this.#success, this.#failure, this.#error] = [metricsOf('success'), metricsOf('failure'), metricsOf('error')];
  }

  authenticate(request: AuthenticationRequest): UserInfo | undefined | Promise<UserInfo | undefined> {
    const begun = performance.now();
    return whenAnswered(
      () => this.#inner.authenticate(request),
      (user) => this.#found(user, begun),
      (error) => this.#failed(error, begun),
    );
  }

  #found(user: UserInfo | undefined, begun: number): UserInfo | undefined {
    count(user ? this.#success : this.#failure, begun);
    if (user) this.#users.with(category(user.name)).inc();
    return user;
  }

  /** `failure`: no credential; `error`: an invalid one. */
  #failed(error: unknown, begun: number): never {
    count(error instanceof ApiError && error.cause === undefined ? this.#failure : this.#error, begun);
    throw error;
  }
}

function count({ attempts, seconds }: ResultMetrics, begun: number): void {
  attempts.inc();
  seconds.observe((performance.now() - begun) / 1000);
}

/** Hides user names and keeps the number of series small. */
function category(name: string): string {
  if (KNOWN_NAMES.has(name)) return name;
  return name.includes('@') ? 'email_id' : 'other';
}
