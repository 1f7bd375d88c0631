import type { Counter, CounterFamily } from '../../telemetry/metrics/counter.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { AuditBackend, AuditFailures } from './audit-backend.js';
import type { AuditEvent, AuditLevel } from '../event/audit-event.js';

/** Counts events under upstream's metric names, by wrapping a backend and receiving failures (apiserver pkg/audit/metrics.go). */
export class AuditMetrics implements AuditFailures {
  readonly #events: Counter;
  readonly #errors: CounterFamily;
  readonly #levels: CounterFamily;
  readonly #failures: AuditFailures;

  constructor(registry: MetricRegistry, failures: AuditFailures) {
    this.#failures = failures;
    const prefix = 'apiserver_audit';
    this.#events = registry.counter({ name: `${prefix}_event_total`, help: 'Audit events generated.' }).with();
    this.#errors = registry.counter({ name: `${prefix}_error_total`, help: 'Audit events lost.', labels: ['plugin'] });
    this.#levels = registry.counter({ name: `${prefix}_level_total`, help: 'Requests by audit level.', labels: ['level'] });
  }

  level(level: AuditLevel): void {
    this.#levels.with(level).inc();
  }

  failed(plugin: string, reason: string, events: readonly AuditEvent[]): void {
    this.#errors.with(plugin).inc(events.length);
    this.#failures.failed(plugin, reason, events);
  }

  /** Wraps a backend to count its events. */
  counting(backend: AuditBackend): AuditBackend {
    return {
      process: (events) => {
        this.#events.inc(events.length);
        return backend.process(events);
      },
      close: () => backend.close(),
    };
  }
}
