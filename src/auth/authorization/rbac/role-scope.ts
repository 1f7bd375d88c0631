import type { PolicyRule } from './policy-rule.js';

const ANY = '*';

/**
 * The verbs and API groups of all rules of a role together: most roles are passed over without a look at their rules. '' is among the
 * groups of a role that gives paths.
 */
export class RoleScope {
  readonly #verbs: ReadonlySet<string> | undefined;
  readonly #groups: ReadonlySet<string> | undefined;

  constructor(rules: readonly PolicyRule[]) {
    this.#verbs = unlessAny(rules.flatMap(({ verbs = [] }) => verbs));
    this.#groups = unlessAny(
      rules.flatMap(({ apiGroups = [], nonResourceURLs = [] }) => (nonResourceURLs.length > 0 ? [...apiGroups, ''] : apiGroups)),
    );
  }

  /** False: no rule allows it. */
  covers(verb: string, group: string): boolean {
    return (this.#verbs === undefined || this.#verbs.has(verb)) && (this.#groups === undefined || this.#groups.has(group));
  }
}

/** Undefined stands for everything. */
function unlessAny(values: readonly string[]): ReadonlySet<string> | undefined {
  return values.includes(ANY) ? undefined : new Set(values);
}
