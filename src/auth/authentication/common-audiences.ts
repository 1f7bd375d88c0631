/** The intersection of `wanted` with the own audiences, with duplicates as in `wanted` (upstream: authenticator.Audiences.Intersect). */
export function commonAudiences(own: readonly string[], wanted: readonly string[]): readonly string[] {
  return own === wanted ? own : wanted.filter((each) => own.includes(each));
}
