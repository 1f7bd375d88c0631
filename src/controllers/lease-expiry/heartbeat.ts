/**
 * Whether a lease tells that its one holder lives, and not which of several leads: its name is its holder's, or ends with it, as those of nodes
 * (`node-7`), of members (`workers-a`, held by `a`) and of API servers do.
 */
export function isHeartbeat(namespace: string, name: string, holder: string): boolean {
  if (holder === '') return false;
  if (namespace === 'kube-system' && holder.startsWith(`${name}_`)) return true;
  return name === holder || (name.endsWith(holder) && /[-.:_]/.test(name.at(-holder.length - 1) ?? ''));
}
