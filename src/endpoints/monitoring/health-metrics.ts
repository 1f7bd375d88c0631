import { Inject, Injectable } from '@nestjs/common';
import type { CounterFamily } from '../../telemetry/metrics/counter.js';
import type { GaugeFamily } from '../../telemetry/metrics/gauge.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import type { HealthCheck, HealthEndpoint } from './health-check.js';

/** Upstream's metrics of health checks, which /metrics/slis shows (component-base metrics/prometheus/slis). */
@Injectable()
export class HealthMetrics {
  readonly #state: GaugeFamily;
  readonly #runs: CounterFamily;

  constructor(@Inject(SERVER_METRICS) { slis }: ServerMetrics) {
    this.#state = slis.gauge({
      name: 'kubernetes_healthcheck',
      help: 'Result of the last run of a health check: 1 if it passed.',
      labels: ['name', 'type'],
    });
    this.#runs = slis.counter({
      name: 'kubernetes_healthchecks_total',
      help: 'Runs of a health check by result.',
      labels: ['name', 'status', 'type'],
    });
  }

  ran({ name }: HealthCheck, type: HealthEndpoint, passed: boolean): void {
    this.#state.with(name, type).set(passed ? 1 : 0);
    this.#runs.with(name, passed ? 'success' : 'error', type).inc();
  }
}
