/** How Go names the internal type of a kind in a group, which some errors show: `coordination.Lease`, `core.Event`. */
export function internalTypeName(group: string, kind: string): string {
  return `${group.split('.')[0] || 'core'}.${kind}`;
}
