export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

/** One named check behind /healthz, /livez or /readyz. */
export interface HealthCheck {
  /** As shown in `?verbose` output and in the path `/readyz/<name>`. */
  readonly name: string;
  readonly on: readonly HealthEndpoint[];
  /** Rejects if unhealthy. The reason goes to the log, and only to clients of the check's own path. */
  check(): Promise<void>;
}
