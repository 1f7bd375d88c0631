/** Those that are named, in their defined order; all if none is named. A name with a final `*` selects all with that prefix. */
export function selectByName<T extends { readonly name: string }>(names: readonly string[], among: readonly T[]): readonly T[] {
  const matches = (name: string, pattern: string) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern);
  const unknown = names.filter((pattern) => !among.some(({ name }) => matches(name, pattern)));
  if (unknown.length > 0) throw new Error(`no scenario ${unknown.join(', ')}; there are ${among.map(({ name }) => name).join(', ')}`);
  return names.length === 0 ? among : among.filter(({ name }) => names.some((pattern) => matches(name, pattern)));
}
