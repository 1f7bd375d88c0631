import type { Logger } from 'pino';
import type { Counter, CounterFamily } from '../../telemetry/metrics/metric-family.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { Scheduler } from '../../time/scheduler.js';
import { whenReady } from '../../time/backoff.js';
import { type AuditEvent, type AuditLevel, describeEvent } from '../event/audit-event.js';

/** A destination of events. */
export interface AuditBackend {
  /** Accepts events. False: they are lost and the request must fail. A request waits for a promise. Never throws or rejects. */
  process(events: readonly AuditEvent[]): boolean | Promise<boolean>;
  /** Resolves when all accepted events are delivered or given up. */
  close(): Promise<void>;
}

/** Records events that were lost. */
export interface AuditFailures {
  failed(plugin: string, reason: string, events: readonly AuditEvent[]): void;
}

/** Combines the results of several backends or batches; a promise only if one of them is. */
export function allStored(results: readonly (boolean | Promise<boolean>)[]): boolean | Promise<boolean> {
  const pending = results.filter((result) => result instanceof Promise);
  const stored = results.every((result) => result !== false);
  return pending.length === 0 ? stored : Promise.all(pending).then((all) => stored && all.every(Boolean));
}

/** Sends every event to several backends (apiserver pkg/audit/union.go). */
export class UnionBackend implements AuditBackend {
  readonly #backends: readonly AuditBackend[];

  constructor(backends: readonly AuditBackend[]) {
    this.#backends = backends;
  }

  process(events: readonly AuditEvent[]): boolean | Promise<boolean> {
    const results = this.#backends.map((backend) => backend.process(events));
    return allStored(results);
  }

  async close(): Promise<void> {
    await Promise.all(this.#backends.map((backend) => backend.close()));
  }
}

/** Makes requests wait for the backend but succeed even if it fails (mode `blocking`; `blocking-strict` is the backend without this). */
export class LenientBackend implements AuditBackend {
  readonly #backend: AuditBackend;

  constructor(backend: AuditBackend) {
    this.#backend = backend;
  }

  process(events: readonly AuditEvent[]): boolean | Promise<boolean> {
    return whenReady(this.#backend.process(events), () => true);
  }

  close(): Promise<void> {
    return this.#backend.close();
  }
}

/** Number of events described per log line. */
const DESCRIBED = 10;
/** How long further failures of the same kind are collected. */
const GATHER_MS = 10_000;

interface Gathered {
  events: number;
}

/** Logs lost events: the first of a kind at once, then the number of further ones. */
export class AuditFailureLog implements AuditFailures {
  readonly #logger: Logger;
  readonly #scheduler: Scheduler;
  readonly #gathered = new Map<string, Gathered>();

  constructor(logger: Logger, scheduler: Scheduler) {
    this.#logger = logger;
    this.#scheduler = scheduler;
  }

  failed(plugin: string, reason: string, events: readonly AuditEvent[]): void {
    const kind = `${plugin} ${reason}`;
    const known = this.#gathered.get(kind);
    if (known) {
      known.events += events.length;
      return;
    }
    this.#gathered.set(kind, { events: 0 });
    const impacted = events.slice(0, DESCRIBED).map(describeEvent);
    this.#logger.error({ plugin, reason, events: events.length, impacted }, 'audit events are lost');
    this.#scheduler.after(GATHER_MS, () => this.#tell(kind, plugin, reason));
  }

  #tell(kind: string, plugin: string, reason: string): void {
    const events = this.#gathered.get(kind)?.events ?? 0;
    this.#gathered.delete(kind);
    if (events > 0) this.#logger.error({ plugin, reason, events }, 'more audit events are lost');
  }
}

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
