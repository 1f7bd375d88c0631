import type { Ledger } from './connection-account.js';
import { ConnectionAccount } from './connection-account.js';
import { HELD_NAMES } from './held.js';
import type { LimitMet } from './limit-met.js';
import type { MemoryLimits } from './memory-limits.js';
import { DEFAULT_MEMORY_LIMITS } from './memory-limits.js';
import { OwnerAccount } from './owner-account.js';

type Owner = OwnerAccount<ConnectionAccount>;

/** After connections are cut off, so much of a limit is in use at most: finding the largest holders again takes the rest to be filled. */
const ROOM_LEFT = 7 / 8;

/**
 * Counts what clients make this process hold: by kind, by connection, by owner and in total. An owner is a user, or a remote address for
 * connections without one.
 *
 * A charge beyond the limit of a connection is refused. A charge beyond the limit of an owner or of the process is taken, and the largest
 * holders are cut off: the connections of the owner that holds most, the largest first. So a client that holds little survives what
 * others do, whatever its own next charge is.
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

  /** `count` is told of each request or connection that is ended for a limit. */
  constructor(
    limits: MemoryLimits = DEFAULT_MEMORY_LIMITS,
    readonly count: (limit: LimitMet) => void = () => undefined,
  ) {
    this.limits = { connection: limits.connection || Infinity, owner: limits.owner || Infinity, process: limits.process || Infinity };
  }

  get connections(): ReadonlySet<ConnectionAccount> {
    return this.#connections;
  }

  get owners(): Iterable<Owner> {
    return this.#owners.values();
  }

  /** `cutOff` has to end the connection at once; it may be called within any charge, of any connection. */
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
    this.count(limit);
    account.cutOff();
  }
}

/** The largest owner's connections first; equals in the order in which they were opened, the newest first. */
function largestFirst(a: ConnectionAccount, b: ConnectionAccount): number {
  if (a.owner !== b.owner) return b.owner.total - a.owner.total || (a.owner.name < b.owner.name ? -1 : 1);
  return b.total - a.total || b.number - a.number;
}
