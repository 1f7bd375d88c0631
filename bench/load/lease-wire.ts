/** How a generator writes leases and reads their versions. */
export interface LeaseWire {
  readonly mediaType: string;
  /** A lease as clients send it: whole, with the version they saw last, or '' to create it. */
  encode(name: string, resourceVersion: string): string | Uint8Array;
  /** metadata.resourceVersion of an object. */
  versionOf(body: Buffer): string;
}

export const LEASE_SECONDS = 40;
