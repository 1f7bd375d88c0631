let second = Number.NaN;
let text = '';

/**
 * Formats milliseconds since the epoch as a metav1.Time: UTC, whole seconds. The last text is cached because many writes share a second.
 */
export function timestamp(milliseconds: number): string {
  const current = Math.floor(milliseconds / 1000);
  if (current !== second) {
    text = `${new Date(current * 1000).toISOString().slice(0, 19)}Z`;
    second = current;
  }
  return text;
}
