import { createHmac, randomBytes, randomUUID } from 'node:crypto';

/**
 * The request that a write belongs to. A store starts no write after the request has ended (StorageError Abandoned): its client is gone, or
 * has been told that the write did not happen.
 */
export interface Requester {
  /** Who writes; absent for the server itself. */
  readonly user?: Creator;
  /** Set once the request has ended: the client is gone, or has been told that its time limit has passed. */
  readonly aborted?: unknown;
  /** Deadline in milliseconds of `performance.now()`; absent or Infinity: none. */
  readonly deadline?: number;
  /**
   * The revision of the first read that led to the write. If the database has been replaced since, and may have lost what was read, the
   * write is rejected (StorageError Abandoned).
   */
  readonly premise?: number;
  /** Gives way to other writes: for what the server does on its own, many times over, and nobody waits for. */
  readonly isPatient?: boolean;
}

/** Milliseconds until the request ends; 0 or less: it has ended. Infinity without a requester. */
export function timeLeft(requester: Requester | undefined, now = performance.now()): number {
  if (!requester) return Infinity;
  return requester.aborted ? 0 : (requester.deadline ?? Infinity) - now;
}

/** The user who creates an object, as far as its share of the storage is concerned. */
interface Creator {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Whoever restores, imports and administers has no share: these may fill what there is. The server's own writes are made as one of them. */
const EXEMPT_GROUP = 'system:masters';
const VERSION_DIGIT = 14;
const TAGGED = '8';

/**
 * Makes uids that say which objects one user has created: their first 48 bits are a keyed hash of the user's name, in UUIDs of version 8. Every
 * server on a database has the same key, so each can sum up a user's objects without another column, and nobody else can tell the user.
 */
export class CreatorTags {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  static newKey(): string {
    return randomBytes(32).toString('base64url');
  }

  /** A new uid; an ordinary random one for who has no share. */
  newUid(creator: Creator): string {
    const uid: string = randomUUID();
    if (creator.groups.includes(EXEMPT_GROUP)) return uid;
    const tag = createHmac('sha256', this.#key).update(creator.name).digest('hex');
    return `${tag.slice(0, 8)}-${tag.slice(8, 12)}-${TAGGED}${uid.slice(VERSION_DIGIT + 1)}`;
  }
}

/** What the uids of one user's objects have in common; empty if nobody is charged for the object. */
export function creatorOf(uid: string): string {
  return uid.charAt(VERSION_DIGIT) === TAGGED ? uid.slice(0, VERSION_DIGIT - 1) : '';
}
