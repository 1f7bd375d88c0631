import type { Requester } from '../../storage/requester.js';

/** The authenticated user (upstream: user.Info). */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What a verb needs from its request besides the object. */
export interface RequestContext extends Requester {
  /** Required, so that no request is without one by mistake: a write whose client was told 504 must not happen afterwards. */
  readonly deadline: number;
  readonly user: UserInfo;
  /** Default field manager, derived from the User-Agent (apiserver handlers/create.go managerOrUserAgent). */
  readonly userAgent: string;
  /** Sends a Warning header; equal texts are sent once, in order of first use. */
  warn(text: string): void;
  /** Adds an annotation to the audit event; absent where nothing is recorded. */
  annotate?(key: string, value: string): void;
  /** Aborted when the client disconnects or the request's deadline passes; verbs check it between attempts. */
  readonly signal: AbortSignal;
}

/** Field manager of what the server writes as the API server itself; upstream's loopback client has the same name. */
export const API_SERVER = 'kube-apiserver';

/**
 * Context for writes that the server makes on its own behalf; they are always authorized, and their warnings are dropped. `name` becomes
 * the field manager. Nothing is written once `signal` is aborted, or after `deadline` (milliseconds of `performance.now()`).
 */
export function systemContext(
  name: string,
  signal: AbortSignal = new AbortController().signal,
  deadline = Infinity,
  premise?: number,
): RequestContext {
  return {
    user: { name: 'system:apiserver', uid: '', groups: ['system:masters'], extra: {} },
    userAgent: name,
    warn: () => undefined,
    signal,
    deadline,
    ...(premise !== undefined && { premise }),
    get aborted() {
      return signal.aborted || undefined;
    },
  };
}
