/** Those of `wanted` that are among the own ones, as often as they are wanted (upstream: authenticator.Audiences.Intersect). */
export function commonAudiences(own: readonly string[], wanted: readonly string[]): readonly string[] {
  return own === wanted ? own : wanted.filter((each) => own.includes(each));
}
