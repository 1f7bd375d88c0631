/** Leaves the groups of kube-apiserver alone, for what compares discovery and schemas with it. */
export const UPSTREAMS_GROUPS = 'history.coordination-apiserver.dev/v1=false';
