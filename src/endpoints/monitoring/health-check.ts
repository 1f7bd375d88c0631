export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

/** One named check behind /healthz, /livez or /readyz. */
export interface HealthCheck {
  /** As it stands in `?verbose` output and in the path `/readyz/<name>`. */
  readonly name: string;
  readonly on: readonly HealthEndpoint[];
  /** Rejects when unhealthy; the reason goes to the log, and to the client of the check's own path only. */
  check(): Promise<void>;
}

/** Injection token of the list of checks. */
export const HEALTH_CHECKS = Symbol('HealthChecks');
