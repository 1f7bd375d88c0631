import type { RequestContext } from './request-context.js';

/** The name under which the server owns what it writes as the API server itself, as upstream's own client does. */
export const API_SERVER = 'kube-apiserver';

/**
 * The server acting on its own behalf; nothing of it is refused and nobody reads its warnings. `name` owns the fields it writes.
 * Nothing is written once `signal` is aborted, or after `deadline` (milliseconds of `performance.now()`).
 */
export function systemContext(name: string, signal: AbortSignal = new AbortController().signal, deadline = Infinity): RequestContext {
  return {
    user: { name: 'system:apiserver', uid: '', groups: ['system:masters'], extra: {} },
    userAgent: name,
    warn: () => undefined,
    signal,
    deadline,
    get aborted() {
      return signal.aborted || undefined;
    },
  };
}
