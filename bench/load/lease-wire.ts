/** The encoding in which a generator writes leases and reads their versions. */
export interface LeaseWire {
  readonly mediaType: string;
  /** A complete lease as clients send it, with the last known version, or '' to create it. */
  encode(name: string, resourceVersion: string): string | Uint8Array;
  /** metadata.resourceVersion of an object. */
  versionOf(body: Buffer): string;
}

export const LEASE_SECONDS = 40;
