import type { CreatorTags } from './creator-tags.js';
import type { ObjectStore } from './object-store.js';
import type { Announcements } from './postgres/terms/announcements.js';
import type { Lapses } from './postgres/terms/lapses.js';
import type { SecretRepository } from './postgres/secret.repository.js';
import type { StateRepository } from './postgres/states/state.repository.js';
import type { StorageHealthCheck } from './storage-health-checks.js';
import type { Usage } from './watch-cache/state/usage.js';

/** A database that is open, before the objects are read from it. The class is the injection token. */
export abstract class DatabaseInUse {
  /** The encrypted secrets shared by servers on one database. */
  abstract readonly sharedTexts: Pick<SecretRepository, 'getOrCreate' | 'replace' | 'otherRole'>;
  /** Reads them into the cache. The database stays open when what this returns is closed. */
  abstract readObjects(): Promise<Storage>;
  abstract close(): Promise<void>;
}

/** The database with its cache, or memory, for the layers above. The class is the injection token. */
export abstract class Storage {
  abstract readonly objects: ObjectStore;
  /** Who created an object is in its uid. */
  abstract readonly creators: CreatorTags;
  abstract readonly lapses: Pick<Lapses, 'change' | 'list' | 'clock'> & {
    readonly announcements: Pick<Announcements, keyof Announcements>;
  };
  /** Terraform's states; undefined where the objects are in memory. */
  abstract readonly states: StateRepository | undefined;
  abstract readonly healthChecks: readonly StorageHealthCheck[];
  /** The number of objects and bytes of a resource, by `resource.group`. */
  abstract readonly sizes: (groupResource: string) => Readonly<Usage> | undefined;
  /** The name and server of the database, for messages. */
  abstract readonly place: string;
  abstract readonly schema: string;
  /** Rejects if the database cannot be read or written. */
  abstract probe(): Promise<void>;
  abstract close(): Promise<void>;
}
