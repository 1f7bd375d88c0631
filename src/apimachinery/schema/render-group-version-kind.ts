/** Go's GroupVersionKind.String. An apiVersion that cannot be parsed prints as empty. */
export function renderGroupVersionKind({ kind, apiVersion }: { kind: string; apiVersion: unknown }): string {
  const parts = typeof apiVersion === 'string' ? apiVersion.split('/') : [];
  // An unreadable apiVersion takes the kind with it (apimachinery unstructured GroupVersionKind).
  if (parts.length > 2) return '/, Kind=';
  const version = parts.at(-1) ?? '';
  const group = parts.length === 2 ? (parts[0] ?? '') : '';
  return `${group}/${version}, Kind=${kind}`;
}
