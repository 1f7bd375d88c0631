/** Milliseconds until the next try of a controller, after so many failures in a row. */
export function retryDelay(failures: number): number {
  return Math.min(30_000, 250 * 2 ** failures);
}
