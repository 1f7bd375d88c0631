/** Those of `own` that are among the wanted ones (upstream: authenticator.Audiences.Intersect). */
export function commonAudiences(own: readonly string[], wanted: readonly string[]): readonly string[] {
  return own === wanted ? own : own.filter((each) => wanted.includes(each));
}
