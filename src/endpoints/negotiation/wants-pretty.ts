import type { Query } from '../request-info/query.js';

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

/** Whether to indent JSON: `?pretty` decides, and without it curl, wget and browsers get indented JSON (apiserver negotiation/negotiate.go isPrettyPrint). */
export function wantsPretty(query: Query, userAgent: string): boolean {
  const pretty = query.first('pretty');
  if (pretty) return TRUE.has(pretty);
  return userAgent.startsWith('curl') || userAgent.startsWith('Wget') || userAgent.startsWith('Mozilla/5.0');
}
