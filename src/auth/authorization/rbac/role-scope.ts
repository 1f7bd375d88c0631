import type { PolicyRule } from '../rbac.schema.js';

const ANY = '*';

/**
 * The union of verbs and API groups of a role's rules, which rules out most roles without evaluating their rules. Rules for paths count as
 * group ''.
 */
export class RoleScope {
  readonly #verbs: ReadonlySet<string> | undefined;
  readonly #groups: ReadonlySet<string> | undefined;

  constructor(rules: readonly PolicyRule[]) {
    this.#verbs = unlessAny(rules.flatMap(({ verbs }) => verbs ?? []));
    this.#groups = unlessAny(
      rules.flatMap(({ apiGroups = [], nonResourceURLs = [] }) => (nonResourceURLs.length > 0 ? [...apiGroups, ''] : apiGroups)),
    );
  }

  /** False: no rule can allow it. */
  covers(verb: string, group: string): boolean {
    return (this.#verbs === undefined || this.#verbs.has(verb)) && (this.#groups === undefined || this.#groups.has(group));
  }
}

/** Returns undefined if `*` is among the values, which matches everything. */
function unlessAny(values: readonly string[]): ReadonlySet<string> | undefined {
  return values.includes(ANY) ? undefined : new Set(values);
}
