/** What is known of a service account: its uid, and when it was marked for deletion, in milliseconds. */
export interface KnownServiceAccount {
  readonly uid: string;
  readonly deletedAt?: number;
}

/** Reads the newest state of a service account; undefined where there is none. */
export type ReadServiceAccount = (namespace: string, name: string) => Promise<KnownServiceAccount | undefined>;

/**
 * The service accounts that there are, kept up to date from the store; it may be behind by moments. `read` asks the store itself,
 * about accounts that the index does not know yet.
 */
export class ServiceAccountIndex {
  readonly #accounts = new Map<string, KnownServiceAccount>();
  #read: ReadServiceAccount = () => Promise.resolve(undefined);

  /** What `read` asks from now on. */
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
