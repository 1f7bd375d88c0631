import type { Counter } from '../../telemetry/metrics/counter.js';
import type { Histogram } from '../../telemetry/metrics/histogram.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';

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
