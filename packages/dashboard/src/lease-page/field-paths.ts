const MOST = 200;
const DEEPEST = 20;

/** The leaves of a FieldsV1: `spec.renewTime`, `metadata.labels.app`. */
export function fieldPaths(fields: unknown): string[] {
  const paths: string[] = [];
  collect(fields, [], paths);
  return paths;
}

function collect(node: unknown, above: readonly string[], paths: string[]): void {
  const entries = typeof node === 'object' && node !== null ? Object.entries(node).filter(([key]) => key !== '.') : [];
  if (paths.length >= MOST) return;
  if (entries.length === 0 || above.length >= DEEPEST) {
    if (above.length > 0) paths.push(above.join('.'));
    return;
  }
  for (const [key, below] of entries) collect(below, [...above, key.replace(/^[fkvi]:/, '')], paths);
}
