/** Serves terms, which is off by default (docs/terms.md). */
export const SERVE_HISTORY = '--runtime-config=history.coordination-apiserver.dev/v1=true';
