/** Go's GroupVersionKind.String. An unparsable apiVersion is printed as empty. */
export function renderGroupVersionKind({ kind, apiVersion }: { kind: string; apiVersion: unknown }): string {
  const parts = typeof apiVersion === 'string' ? apiVersion.split('/') : [];
  // An unparsable apiVersion drops the kind too (apimachinery unstructured GroupVersionKind).
  if (parts.length > 2) return '/, Kind=';
  const version = parts.at(-1) ?? '';
  const group = parts.length === 2 ? (parts[0] ?? '') : '';
  return `${group}/${version}, Kind=${kind}`;
}
