import type { Logger } from 'pino';
import type { Scheduler } from '../../time/scheduler.js';
import type { AuditFailures } from './audit-backend.js';
import { type AuditEvent, describeEvent } from '../event/audit-event.js';

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
