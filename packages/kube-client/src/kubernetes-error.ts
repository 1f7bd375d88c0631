/** A request that an API server refused. */
export class KubernetesError extends Error {
  override readonly name = 'KubernetesError';

  constructor(
    /** The HTTP status. */
    readonly status: number,
    message: string,
    /** The Status object's reason, such as `Conflict`. */
    readonly reason?: string,
  ) {
    super(message);
  }

  static isConflict(error: unknown): boolean {
    return error instanceof KubernetesError && error.status === 409;
  }
}
