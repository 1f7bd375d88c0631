import type { HealthCheck, HealthEndpoint } from './health-check.js';

export interface HealthReport {
  readonly healthy: boolean;
  /** The plain-text response. */
  readonly text: string;
  /** Name and reason of every failed check, for the log. */
  readonly failures: readonly { readonly name: string; readonly error: unknown }[];
}

export interface HealthQuery {
  readonly verbose: boolean;
  /** Names of checks not to run. */
  readonly excluded: readonly string[];
}

/** Runs the checks of an endpoint and formats the result as upstream does (apiserver server/healthz/healthz.go). */
export async function runHealthChecks(
  endpoint: HealthEndpoint,
  checks: readonly HealthCheck[],
  { verbose, excluded }: HealthQuery,
  ran: (check: HealthCheck, endpoint: HealthEndpoint, passed: boolean) => void = () => undefined,
): Promise<HealthReport> {
  const failures: { name: string; error: unknown }[] = [];
  const lines = await Promise.all(
    checks.map(async (check) => {
      if (excluded.includes(check.name)) return `[+]${check.name} excluded: ok\n`;
      try {
        await check.check();
        ran(check, endpoint, true);
        return `[+]${check.name} ok\n`;
      } catch (error) {
        ran(check, endpoint, false);
        failures.push({ name: check.name, error });
        return `[-]${check.name} failed: reason withheld\n`;
      }
    }),
  );
  const unmatched = excluded.filter((name) => !checks.some((check) => check.name === name));
  if (failures.length > 0) {
    return { healthy: false, text: `${lines.join('')}${warning(unmatched)}${endpoint} check failed\n`, failures };
  }
  const text = verbose ? `${lines.join('')}${warning(unmatched)}${endpoint} check passed\n` : 'ok';
  return { healthy: true, text, failures };
}

function warning(unmatched: readonly string[]): string {
  if (unmatched.length === 0) return '';
  const names = [...new Set(unmatched)].map((name) => `"${name}"`).sort();
  return `warn: some health checks cannot be excluded: no matches for ${names.join(',')}\n`;
}
