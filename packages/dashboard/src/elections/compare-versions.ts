/** Parses `1.36.0` or `v1.36` into numbers, missing parts as 0. Undefined for anything that is not a version. */
export function parseVersion(text: string | undefined): readonly number[] | undefined {
  const [, numbers] = /^v?(\d[\d.]*)/.exec(text ?? '') ?? [];
  return numbers?.split('.').map(Number);
}

export function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
