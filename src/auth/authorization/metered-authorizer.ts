import type { Counter } from '../../telemetry/metrics/counter.js';
import { type Histogram, exponentialBuckets } from '../../telemetry/metrics/histogram.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { Decision } from './authorizer.js';
import type { RequestAuthorizer, RequestToAuthorize } from './request-authorizer.js';
import { whenAnswered } from '../../time/when-ready.js';

type Result = 'allowed' | 'denied' | 'no-opinion' | 'error';

interface ResultMetrics {
  readonly attempts: Counter;
  readonly seconds: Histogram;
}

/** Counts the decisions on requests under upstream's metric names (apiserver endpoints/filters/metrics.go). */
export class MeteredAuthorizer {
  readonly #inner: RequestAuthorizer;
  readonly #metrics: Readonly<Record<Result, ResultMetrics>>;

  constructor(inner: RequestAuthorizer, registry: MetricRegistry) {
    this.#inner = inner;
    const attempts = registry.counter({
      name: 'authorization_attempts_total',
      help: 'Authorization decisions by result.',
      labels: ['result'],
    });
    const seconds = registry.histogram({
      name: 'authorization_duration_seconds',
      help: 'Duration of authorization.',
      labels: ['result'],
      buckets: exponentialBuckets(0.001, 2, 15),
    });
    const metricsOf = (result: string): ResultMetrics => ({ attempts: attempts.with(result), seconds: seconds.with(result) });
    this.#metrics = {
      allowed: metricsOf('allowed'),
      denied: metricsOf('denied'),
      'no-opinion': metricsOf('no-opinion'),
      error: metricsOf('error'),
    };
  }

  authorize(request: RequestToAuthorize): Decision | Promise<Decision> {
    const begun = performance.now();
    return whenAnswered(
      () => this.#inner.authorize(request),
      (decision) => this.#decided(decision, begun),
      (error) => {
        this.#count('error', begun);
        throw error;
      },
    );
  }

  #decided(decision: Decision, begun: number): Decision {
    this.#count(resultOf(decision), begun);
    return decision;
  }

  #count(result: Result, begun: number): void {
    const { attempts, seconds } = this.#metrics[result];
    attempts.inc();
    seconds.observe((performance.now() - begun) / 1000);
  }
}

function resultOf(decision: Decision): Result {
  if (decision.allowed) return 'allowed';
  if (decision.error) return 'error';
  return decision.denied ? 'denied' : 'no-opinion';
}
