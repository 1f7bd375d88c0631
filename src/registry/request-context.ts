import type { Requester } from '../storage/object-store.js';

/** Who asks, as authentication found out (user.Info upstream). */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What a verb needs to know of its request beside the object. */
export interface RequestContext extends Requester {
  readonly user: UserInfo;
  /** Field manager when the request names none: derived from the User-Agent (apiserver handlers/create.go managerOrUserAgent). */
  readonly userAgent: string;
  /** Sends a Warning header; equal texts are sent once, in order of first use. */
  warn(text: string): void;
  /** Aborted when the client is gone or the request's deadline has passed; verbs check it between attempts. */
  readonly signal: AbortSignal;
  /**
   * The extra check when PUT or apply creates: verb `create` on the name in the URL. Rejects with the 403 to send.
   * Absent: everything is allowed.
   */
  authorizeCreate?(): Promise<void>;
}
