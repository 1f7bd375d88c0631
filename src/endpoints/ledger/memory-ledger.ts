import { type Ledger, ConnectionAccount, OwnerAccount } from './connection-account.js';
import { HELD_NAMES } from './held.js';
import type { LimitMet } from './limit-met.js';
import { type MemoryLimits, DEFAULT_MEMORY_LIMITS } from './memory-limits.js';

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
