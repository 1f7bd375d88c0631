import { type Socket, isIPv6 } from 'node:net';
import type { Logger } from 'pino';
import { LineBudget } from '../../telemetry/logger.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import {
  type Ledger,
  type LimitMet,
  type MemoryLimits,
  ConnectionAccount,
  DEFAULT_MEMORY_LIMITS,
  HELD_NAMES,
  LIMITS_MET,
  OwnerAccount,
} from './connection-account.js';

type Owner = OwnerAccount<ConnectionAccount>;

/**
 * Maximum fraction of a limit in use after connections were cut off. The next search for the largest holders happens when the rest is used
 * up.
 */
const ROOM_LEFT = 7 / 8;

/**
 * Counts the bytes that clients make this process hold: by kind, by connection, by owner and in total. An owner is a user, or a remote
 * address for connections without a user.
 *
 * A charge beyond a connection's limit is refused. A charge beyond the limit of an owner or of the process is accepted, and the largest
 * holders are cut off: the connections of the owner that holds most, largest first. A client that holds little is therefore unaffected by
 * others, however large its own next charge is.
 */
export class MemoryLedger implements Ledger {
  /** Bytes by kind. */
  readonly held: number[] = HELD_NAMES.map(() => 0);
  readonly limits: MemoryLimits;
  total = 0;
  streams = 0;
  readonly #connections = new Set<ConnectionAccount>();
  readonly #owners = new Map<string, Owner>();
  #opened = 0;

  /** `count` is called for each request or connection that is ended because of a limit, with its account if the memory held is the reason. */
  constructor(
    limits: MemoryLimits = DEFAULT_MEMORY_LIMITS,
    readonly count: (limit: LimitMet, account?: ConnectionAccount) => void = () => undefined,
  ) {
    this.limits = { connection: limits.connection || Infinity, owner: limits.owner || Infinity, process: limits.process || Infinity };
  }

  get connections(): ReadonlySet<ConnectionAccount> {
    return this.#connections;
  }

  get owners(): Iterable<Owner> {
    return this.#owners.values();
  }

  /**
   * Opens the account of a connection. Connections without a user are grouped by `remoteAddress`, or its network for IPv6. `cutOff` must
   * end the connection immediately; any charge of any connection may call it.
   */
  open(remoteAddress: string, cutOff: () => void): ConnectionAccount {
    const account = new ConnectionAccount({ ledger: this, number: ++this.#opened, remoteAddress, cutOff });
    this.#connections.add(account);
    return account;
  }

  owner(name: string): Owner {
    let owner = this.#owners.get(name);
    if (!owner) this.#owners.set(name, (owner = new OwnerAccount<ConnectionAccount>(name)));
    return owner;
  }

  forgetOwner(name: string): void {
    this.#owners.delete(name);
  }

  forget(account: ConnectionAccount): void {
    this.#connections.delete(account);
  }

  makeRoom(owner: Owner): void {
    const { limits } = this;
    if (owner.total > limits.owner) {
      const enough = limits.owner * ROOM_LEFT;
      for (const account of [...owner.connections].sort(largestFirst)) {
        if (owner.total <= enough) break;
        this.#cutOff(account, 'user_bytes');
      }
    }
    if (this.total <= limits.process) return;
    const enough = limits.process * ROOM_LEFT;
    for (const account of [...this.#connections].sort(largestFirst)) {
      if (this.total <= enough) break;
      this.#cutOff(account, 'process_bytes');
    }
  }

  #cutOff(account: ConnectionAccount, limit: LimitMet): void {
    this.count(limit, account);
    account.cutOff();
  }
}

/** Connections of the largest owner first; among equals, the newest first. */
function largestFirst(a: ConnectionAccount, b: ConnectionAccount): number {
  if (a.owner !== b.owner) return b.owner.total - a.owner.total || (a.owner.name < b.owner.name ? -1 : 1);
  return b.total - a.total || b.number - a.number;
}

const accounts = new WeakMap<object, ConnectionAccount>();
/** The ledger for sockets that were not accepted by a server of this process, as in tests: unlimited. */
const unlimited = new MemoryLedger({ connection: 0, owner: 0, process: 0 });

/** Opens the account of an accepted connection; it is closed together with its socket. */
export function openAccount(ledger: MemoryLedger, socket: Socket): ConnectionAccount {
  const account = ledger.open(clientNetwork(socket.remoteAddress ?? ''), () => socket.destroy());
  accounts.set(socket, account);
  socket.once('close', () => account.close());
  return account;
}

export function accountOf(socket: Socket): ConnectionAccount {
  return accounts.get(socket) ?? openAccount(unlimited, socket);
}

const MAPPED_PREFIX = '::ffff:';
const GROUPS = 8;
/** The first 64 bits, as groups of 16. */
const NETWORK_GROUPS = 4;

/**
 * The network that per-address limits count a client under: the address itself for IPv4, the /64 for IPv6. A client with an IPv6 address
 * usually owns all 2^64 addresses of its network, so a limit per address would not limit it. An IPv4-mapped IPv6 address, as shown by
 * dual-stack sockets, counts as the IPv4 address.
 */
export function clientNetwork(remoteAddress: string): string {
  if (!isIPv6(remoteAddress)) return remoteAddress;
  const [address = ''] = remoteAddress.toLowerCase().split('%');
  if (address.startsWith(MAPPED_PREFIX) && address.includes('.')) return address.slice(MAPPED_PREFIX.length);
  return `${firstGroups(address).join(':')}::/64`;
}

/** The groups of the network, without leading zeros. `::` stands for the missing groups, all zero. */
function firstGroups(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':');
    groups.push(...Array<string>(Math.max(0, GROUPS - groups.length - last.length)).fill('0'), ...last);
  }
  return groups.slice(0, NETWORK_GROUPS).map((group) => parseInt(group, 16).toString(16));
}

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
