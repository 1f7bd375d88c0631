import type { AuthorizationAttributes } from './authorizer.js';

const VERBS = new Set(['watch', 'proxy']);
/** They are streams in Kubernetes. Here nothing serves them, but requests for them are treated alike. */
const SUBRESOURCES = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** Whether a request may last as long as its client likes (apiserver server/filters/longrunning.go, with kube-apiserver's verbs and subresources). */
export function isLongRunning({ isResourceRequest, verb, subresource, path }: AuthorizationAttributes): boolean {
  return isResourceRequest ? VERBS.has(verb) || SUBRESOURCES.has(subresource) : path.startsWith('/debug/pprof/');
}
