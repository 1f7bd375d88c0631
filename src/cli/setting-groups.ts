/** Headings of `serve --help`, in order, and the settings under each; the first collects the rest. */
const GROUPS: readonly (readonly [heading: string, names: RegExp])[] = [
  ['Serving:', /^$/],
  ['Database and storage:', /^(database-|compaction-|event-ttl|term-|max-(bytes|objects)|secrets-key-file|data-dir)/],
  ['TLS:', /^(tls-|cert-dir)/],
  ['Limits:', /^(max-|http2-|goaway-|request-timeout|min-request-timeout|enable-priority-and-fairness|answer-)/],
  ['Authentication:', /^(anonymous-|api-audiences|authentication-|client-ca-file|oidc-|requestheader-|service-account-|token-auth-file)/],
  ['Authorization and admission:', /^(authorization-|enable-admission-plugins)/],
  ['Audit:', /^audit-/],
  ['Logs and traces:', /^(log|slow-request-|tracing-|v$)/],
];

const [[DEFAULT_HEADING] = ['']] = GROUPS;

export function headingOf(setting: string): string {
  return GROUPS.find(([, names]) => names.test(setting))?.[0] ?? DEFAULT_HEADING;
}

export const SETTING_HEADINGS: readonly string[] = GROUPS.map(([heading]) => heading);
