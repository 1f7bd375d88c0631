import type { RequestContext } from './request-context.js';

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
