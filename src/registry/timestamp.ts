let second = Number.NaN;
let text = '';

/** metav1.Time of a moment in milliseconds: UTC, whole seconds. Many writes fall into one second, so its text is kept. */
export function timestamp(milliseconds: number): string {
  const current = Math.floor(milliseconds / 1000);
  if (current !== second) {
    text = `${new Date(current * 1000).toISOString().slice(0, 19)}Z`;
    second = current;
  }
  return text;
}
