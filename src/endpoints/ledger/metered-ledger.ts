import type { Logger } from 'pino';
import { LineBudget } from '../../telemetry/line-budget.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import { HELD_NAMES } from './held.js';
import type { ConnectionAccount } from './connection-account.js';
import { type LimitMet, LIMITS_MET } from './limit-met.js';
import { MemoryLedger } from './memory-ledger.js';
import type { MemoryLimits } from './memory-limits.js';

const LINES_PER_SECOND = 10;

/** A ledger whose figures `/metrics` exports. Who is cut off for the memory held is logged. */
export function createMeteredLedger(registry: MetricRegistry, logger: Logger, limits?: MemoryLimits): MemoryLedger {
  const lines = new LineBudget(LINES_PER_SECOND);
  const tell = (limit: LimitMet, { owner, total, address }: ConnectionAccount): void => {
    const suppressed = lines.take(performance.now());
    if (suppressed === undefined) return;
    logger.warn(
      { of: owner.name, at: address, limit, bytes: total, ...(suppressed > 0 && { suppressed }) },
      'connection cut off: too much is held for it',
    );
  };
  const met = registry.counter({
    name: 'coordination_client_limits_total',
    help: 'Requests and connections ended because their client reached a limit.',
    labels: ['limit'],
  });
  for (const limit of LIMITS_MET) met.with(limit);
  const ledger = new MemoryLedger(limits, (limit, account) => {
    met.with(limit).inc();
    if (account) tell(limit, account);
  });
  addHeld(registry, ledger);
  addLimits(registry, ledger);
  return ledger;
}

function addHeld(registry: MetricRegistry, ledger: MemoryLedger): void {
  registry.gauge({ name: 'coordination_held_bytes', help: 'Memory in bytes held for clients, by kind.', labels: ['kind'] }, (gauge) =>
    HELD_NAMES.forEach((name, kind) => gauge.with(name).set(ledger.held[kind] ?? 0)),
  );
  const help = 'Memory in bytes held for the largest connection, and for the largest user or remote address.';
  registry.gauge({ name: 'coordination_held_bytes_largest', help, labels: ['of'] }, (gauge) => {
    gauge.with('connection').set(largest(ledger.connections));
    gauge.with('user').set(largest(ledger.owners));
  });
  registry.gauge({ name: 'coordination_connections', help: 'Open connections that have completed the TLS handshake.' }, (gauge) =>
    gauge.with().set(ledger.connections.size),
  );
  registry.gauge({ name: 'coordination_open_streams', help: 'Open HTTP/2 streams.' }, (gauge) => gauge.with().set(ledger.streams));
}

function addLimits(registry: MetricRegistry, { limits }: MemoryLedger): void {
  const gauge = registry.gauge({
    name: 'coordination_held_bytes_limit',
    help: 'Limits on the memory in bytes held for a connection, for a user or remote address, and for all clients.',
    labels: ['of'],
  });
  const { connection, owner: user, process } = limits;
  for (const [of, limit] of Object.entries({ connection, user, process })) if (Number.isFinite(limit)) gauge.with(of).set(limit);
}

function largest(accounts: Iterable<{ readonly total: number }>): number {
  let most = 0;
  for (const { total } of accounts) most = Math.max(most, total);
  return most;
}
