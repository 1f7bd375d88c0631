/** The members that Go's encoder writes of a struct with `omitempty`: none that is absent, '', or a list or map without entries. */
export function omitEmpty<Members extends object>(members: Members): Partial<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value))) as Partial<Members>;
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === '';
}
