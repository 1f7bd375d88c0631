import { type Requester, creatorOf } from '../requester.js';
import { objectPath } from '../object-path.js';
import type { ObjectKey, ObjectValue } from '../object-store.js';
import { StorageError } from '../storage-errors.js';
import { type Ledger, type Owners, type Usage, chargeOf, EVENT_RESOURCE, Ledgers } from './state/usage.js';

/**
 * Limits on stored objects, Events apart: those have a limit on bytes alone. Bytes are those of encoded objects, 1 KiB at least. Absent: no limit.
 */
export interface QuotaOptions {
  readonly maxObjects?: number;
  readonly maxBytes?: number;
  readonly maxEventBytes?: number;
  readonly maxObjectsPerNamespace?: number;
  readonly maxBytesPerNamespace?: number;
  readonly maxBytesPerUser?: number;
}

/** What a limit is on: everything, or the share of a namespace or a user. */
export const QUOTA_SCOPES = ['all', 'namespace', 'user'] as const;
type QuotaScope = (typeof QUOTA_SCOPES)[number];
export const QUOTA_KINDS = ['events', 'objects'] as const;
export type QuotaKind = (typeof QUOTA_KINDS)[number];

/** What was refused, and by which limit; with whose share was used up, if it is known. */
export interface QuotaRefusal {
  readonly kind: QuotaKind;
  readonly scope: QuotaScope;
  readonly creator: string;
  readonly user: string | undefined;
}

/** Called with each refusal. Must not throw. */
export type QuotaObserver = (refusal: QuotaRefusal) => void;

/** What is written: the state, its size before (undefined: there was none), and by whom. */
export interface QuotaWrite {
  readonly key: ObjectKey;
  readonly value: ObjectValue;
  readonly before?: number | undefined;
  readonly requester?: Requester | undefined;
}

/**
 * How many times what is left one namespace, or one user, may have. So one leaves a quarter of the room to the others, and two leave a seventh:
 * however many take as much as they can, something is left for who has less, and nobody has to divide the room beforehand.
 */
export const TIMES_WHAT_IS_LEFT = 3;

type Limits = readonly [objects: number | undefined, bytes: number | undefined];
type UsageIn = (ledger: Ledger) => Readonly<Usage> | undefined;

/** Whose share is charged, with the user's name if the user is the one who writes. */
interface ChargedOwners extends Owners {
  readonly user: string | undefined;
}

interface Share {
  readonly scope: QuotaScope;
  readonly of: UsageIn;
  readonly limits: Limits;
  /** Whose it is, for the message. */
  readonly where: string;
}

/**
 * Rejects writes that would exceed a limit, based on the cache's statistics and on this process's writes that have not reached the cache
 * yet. Other processes may write at the same time, so a limit can be exceeded by what is written within one round trip. What neither adds an object
 * nor makes one larger is always admitted.
 */
export class Quota {
  readonly #options: QuotaOptions;
  readonly #ledgers: () => Ledgers;
  readonly #refused: QuotaObserver;
  readonly #reserved = new Ledgers();
  /** Functions that release the reservations for an object, by its key. */
  readonly #releases = new Map<string, Set<() => void>>();
  readonly #unlimited: boolean;

  constructor(options: QuotaOptions, ledgers: () => Ledgers, refused: QuotaObserver = () => undefined) {
    this.#options = options;
    this.#ledgers = ledgers;
    this.#refused = refused;
    this.#unlimited = Object.values(options).every((limit) => limit === undefined);
  }

  /** Runs a write. StorageError QuotaExceeded. */
  admit<T>(write: QuotaWrite, run: () => Promise<T>): Promise<T> {
    const { before, value } = write;
    const isLarger = before === undefined || chargeOf(value.data.length) > chargeOf(before);
    return this.#unlimited || !isLarger ? run() : this.#reserveAndRun(write, run);
  }

  /** Called when the cache has applied a change of this object, which replaces its reservations. */
  applied(key: ObjectKey): void {
    if (this.#releases.size === 0) return;
    for (const release of this.#releases.get(idOf(key)) ?? []) release();
  }

  async #reserveAndRun<T>({ key, value, before, requester }: QuotaWrite, run: () => Promise<T>): Promise<T> {
    const owners = { namespace: key.namespace, creator: creatorOf(value.uid) };
    const added = {
      objects: before === undefined ? 1 : 0,
      bytes: chargeOf(value.data.length) - (before === undefined ? 0 : chargeOf(before)),
    };
    const user = before === undefined ? requester?.user?.name : undefined;
    this.#check(key.resource === EVENT_RESOURCE ? 'events' : 'objects', added, { ...owners, user });
    const release = this.#reserve(key, owners, added);
    try {
      return await run();
    } finally {
      release();
    }
  }

  #reserve(key: ObjectKey, owners: Owners, { objects, bytes }: Usage): () => void {
    const id = idOf(key);
    const ledger = this.#reserved.of(key.resource);
    const releases = this.#releases.get(id) ?? new Set();
    this.#releases.set(id, releases);
    ledger.add(owners, objects, bytes);
    const release = () => {
      if (!releases.delete(release)) return;
      if (releases.size === 0) this.#releases.delete(id);
      ledger.add(owners, -objects, -bytes);
    };
    releases.add(release);
    return release;
  }

  #check(kind: QuotaKind, added: Usage, owners: ChargedOwners): void {
    const { maxEventBytes, maxBytes, maxObjects } = this.#options;
    const most = (kind === 'events' ? maxEventBytes : maxBytes) ?? Infinity;
    const ledgers = [this.#ledgers()[kind], this.#reserved[kind]];
    const exceeded = (scope: QuotaScope, limit: string): StorageError => {
      this.#refused({ kind, scope, creator: owners.creator, user: owners.user });
      return new StorageError('QuotaExceeded', limit, { limit });
    };
    const check = ({ scope, of, limits: [mostObjects = Infinity, mostBytes = Infinity], where }: Share): Usage => {
      const used = sumOf([...ledgers.map(of), added]);
      const addsObject = added.objects > 0 && kind === 'objects';
      if (addsObject && used.objects > mostObjects) throw exceeded(scope, `at most ${mostObjects} objects are allowed${where}`);
      if (used.bytes > mostBytes) throw exceeded(scope, `at most ${mostBytes} bytes of ${kind} are allowed${where}`);
      return used;
    };
    const all = check({ scope: 'all', of: ({ total }) => total, limits: [maxObjects, most], where: '' });
    for (const share of this.#sharesOf(owners)) {
      const { bytes } = check(share);
      if (bytes <= TIMES_WHAT_IS_LEFT * (most - all.bytes)) continue;
      const has = `${bytes - added.bytes} of at most ${most} bytes of ${kind} are used${share.where}`;
      throw exceeded(share.scope, `${has}, and no namespace or user may have more than three times what is left`);
    }
  }

  #sharesOf({ namespace, creator, user }: ChargedOwners): Share[] {
    const { maxBytesPerNamespace, maxBytesPerUser, maxObjectsPerNamespace } = this.#options;
    const ofNamespace: Share = {
      scope: 'namespace',
      of: ({ namespaces }) => namespaces.get(namespace),
      limits: [maxObjectsPerNamespace, maxBytesPerNamespace],
      where: ` in namespace ${JSON.stringify(namespace)}`,
    };
    const ofUser: Share = {
      scope: 'user',
      of: ({ creators }) => creators.get(creator),
      limits: [undefined, maxBytesPerUser],
      where: ` by ${user === undefined ? 'the user who created this object' : `user ${JSON.stringify(user)}`}`,
    };
    return [...(namespace === '' ? [] : [ofNamespace]), ...(creator === '' ? [] : [ofUser])];
  }
}

function sumOf(parts: readonly (Readonly<Usage> | undefined)[]): Usage {
  const sum = { objects: 0, bytes: 0 };
  for (const part of parts) {
    sum.objects += part?.objects ?? 0;
    sum.bytes += part?.bytes ?? 0;
  }
  return sum;
}

function idOf(key: ObjectKey): string {
  return `${key.resource} ${objectPath(key)}`;
}
