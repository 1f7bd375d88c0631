import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import type { Counter, CounterFamily, Histogram } from '../../telemetry/metrics/metric-family.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import { whenAnswered } from '../../time/backoff.js';
import { AttemptMetrics } from '../attempt-metrics.js';
import type { AuthenticationRequest, Authenticator } from './authenticator.js';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Seconds (apiserver authentication/request/x509). */
const REMAINING = [0, 0.5 * HOUR, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, ...[1, 2, 4, 7, 30, 90, 180, 360].map((days) => days * DAY)];
/** Kinds of service account tokens that exist in Kubernetes only. */
const NEVER = ['legacy', 'stale'];

/** Counts the credentials that were accepted, under upstream's names. */
export class CredentialMetrics {
  readonly #lifetimes: Histogram;
  readonly #tokens: Counter;

  constructor(registry: MetricRegistry) {
    this.#lifetimes = registry
      .histogram({
        name: 'apiserver_client_certificate_expiration_seconds',
        help: 'Remaining lifetime of the client certificates by which requests were authenticated.',
        buckets: REMAINING,
      })
      .with();
    this.#tokens = registry
      .counter({ name: 'serviceaccount_valid_tokens_total', help: "Service accounts' tokens that were verified." })
      .with();
    for (const kind of NEVER) {
      registry.counter({ name: `serviceaccount_${kind}_tokens_total`, help: `Always 0: there are no ${kind} tokens.` }).with();
    }
  }

  /** A request was authenticated by a certificate with this much time left. */
  certificate(remainingMs: number): void {
    this.#lifetimes.observe(remainingMs / 1000);
  }

  /** A token of a service account was verified. */
  token(): void {
    this.#tokens.inc();
  }
}

const KNOWN_NAMES = new Set(['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default']);

/** Counts another authenticator's results under upstream's metric names (apiserver endpoints/filters/metrics.go). */
export class MeteredAuthenticator implements Authenticator {
  readonly #inner: Authenticator;
  readonly #metrics: AttemptMetrics<'success' | 'failure' | 'error'>;
  readonly #users: CounterFamily;

  constructor(inner: Authenticator, registry: MetricRegistry) {
    this.#inner = inner;
    this.#metrics = new AttemptMetrics(registry, ['success', 'failure', 'error'], {
      attempts: { name: 'authentication_attempts', help: 'Authentication attempts by result.' },
      seconds: { name: 'authentication_duration_seconds', help: 'Duration of authentication.' },
    });
    this.#users = registry.counter({
      name: 'authenticated_user_requests',
      help: 'Authenticated requests by well-known user name.',
      labels: ['username'],
    });
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
    this.#metrics.count(user ? 'success' : 'failure', begun);
    if (user) this.#users.with(category(user.name)).inc();
    return user;
  }

  /** `failure`: no credential; `error`: an invalid one. */
  #failed(error: unknown, begun: number): never {
    this.#metrics.count(error instanceof ApiError && error.cause === undefined ? 'failure' : 'error', begun);
    throw error;
  }
}

/** Hides user names and keeps the number of series small. */
function category(name: string): string {
  if (KNOWN_NAMES.has(name)) return name;
  return name.includes('@') ? 'email_id' : 'other';
}
