import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import { whenAnswered } from '../../time/when-ready.js';
import { AttemptMetrics } from '../attempt-metrics.js';
import type { Decision } from './authorizer.js';
import type { RequestAuthorizer, RequestToAuthorize } from './request-authorizer.js';

const RESULTS = ['allowed', 'denied', 'no-opinion', 'error'] as const;

/** Counts the decisions on requests under upstream's metric names (apiserver endpoints/filters/metrics.go). */
export class MeteredAuthorizer {
  readonly #inner: RequestAuthorizer;
  readonly #metrics: AttemptMetrics<(typeof RESULTS)[number]>;

  constructor(inner: RequestAuthorizer, registry: MetricRegistry) {
    this.#inner = inner;
    this.#metrics = new AttemptMetrics(registry, RESULTS, {
      attempts: { name: 'authorization_attempts_total', help: 'Authorization decisions by result.' },
      seconds: { name: 'authorization_duration_seconds', help: 'Duration of authorization.' },
    });
  }

  authorize(request: RequestToAuthorize): Decision | Promise<Decision> {
    const begun = performance.now();
    return whenAnswered(
      () => this.#inner.authorize(request),
      (decision) => this.#decided(decision, begun),
      (error) => {
        this.#metrics.count('error', begun);
        throw error;
      },
    );
  }

  #decided(decision: Decision, begun: number): Decision {
    this.#metrics.count(resultOf(decision), begun);
    return decision;
  }
}

function resultOf(decision: Decision): (typeof RESULTS)[number] {
  if (decision.allowed) return 'allowed';
  if (decision.error) return 'error';
  return decision.denied ? 'denied' : 'no-opinion';
}
