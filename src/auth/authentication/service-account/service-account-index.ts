/** State of a service account: its uid, and when it was marked for deletion, in milliseconds. */
export interface KnownServiceAccount {
  readonly uid: string;
  readonly deletedAt?: number;
}

/** Reads the current state of a service account; returns undefined if it does not exist. */
export type ReadServiceAccount = (namespace: string, name: string) => Promise<KnownServiceAccount | undefined>;

/**
 * All service accounts, kept up to date from the store with a short delay. `read` reads accounts missing in the index from the store
 * itself.
 */
export class ServiceAccountIndex {
  readonly #accounts = new Map<string, KnownServiceAccount>();
  #read: ReadServiceAccount = () => Promise.resolve(undefined);

  /** Sets the function that `read` uses from now on. */
  readFrom(read: ReadServiceAccount): void {
    this.#read = read;
  }

  set(namespace: string, name: string, account: KnownServiceAccount): void {
    this.#accounts.set(`${namespace}/${name}`, account);
  }

  delete(namespace: string, name: string): void {
    this.#accounts.delete(`${namespace}/${name}`);
  }

  get(namespace: string, name: string): KnownServiceAccount | undefined {
    return this.#accounts.get(`${namespace}/${name}`);
  }

  read(namespace: string, name: string): Promise<KnownServiceAccount | undefined> {
    return this.#read(namespace, name);
  }
}
