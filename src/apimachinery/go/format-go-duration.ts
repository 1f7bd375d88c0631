/** Formats milliseconds as Go's time.Duration does: `1h0m0s`, `5m0s`, `1.5s`, `4ms`, `0s`. */
export function formatGoDuration(ms: number): string {
  if (ms > 0 && ms < 1000) return `${ms}ms`;
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes % 60}m` : ''}${(ms % 60_000) / 1000}s`;
}
