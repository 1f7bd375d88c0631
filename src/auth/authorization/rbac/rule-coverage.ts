import { quote } from '../../../apimachinery/go/go-string.js';
import type { PolicyRule } from '../rbac.schema.js';
import { pathCovers } from '../node-authorizer.js';

type Texts = readonly string[];
type List = Texts | null | undefined;

/** A rule with at most one group, resource, name and verb, or one path and verb. */
interface SingleRight {
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly path?: string;
}

/** The lists of a rule that is held, for many comparisons. */
interface HeldRule {
  readonly verbs: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly paths: Texts;
}

/**
 * Limit on the work of a comparison. A rule stands for a right of each combination of its groups, resources, names and verbs, which is more
 * than can be listed: 4 lists of 2,000. A right costs RIGHT_COST and one for each rule that is held.
 */
export const MAX_COMPARISONS = 500_000;
const RIGHT_COST = 10;

/**
 * Returns the rights in `wanted` that `held` does not cover, one rule each (component-helpers auth/rbac/validation/policy_comparator.go).
 * Undefined if this takes more than `limit` comparisons, which are counted before they are done; rules that one held rule covers as a whole
 * are not broken down.
 */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[], limit = Infinity): PolicyRule[] | undefined {
  const paths = held.reduce((sum, { nonResourceURLs }) => sum + (nonResourceURLs?.length ?? 0), 0);
  const cost = RIGHT_COST + held.length + paths;
  if (countValues(held) + wanted.length * cost > limit) return undefined;
  const holder = held.map(heldRule);
  const open = wanted.filter((rule) => !holder.some((one) => coversAll(one, rule)));
  if (open.reduce((sum, rule) => sum + countRights(rule), 0) * cost > limit) return undefined;
  return open
    .flatMap(breakDown)
    .filter((right) => !holder.some((rule) => covers(rule, right)))
    .map(toRule);
}

function countValues(rules: readonly PolicyRule[]): number {
  return rules.flatMap((rule) => Object.values(rule)).reduce((sum, list) => sum + (list?.length ?? 0), 0);
}

function heldRule({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): HeldRule {
  return {
    verbs: new Set(verbs ?? []),
    groups: new Set(apiGroups ?? []),
    resources: new Set(resources ?? []),
    names: new Set(resourceNames ?? []),
    paths: nonResourceURLs ?? [],
  };
}

/** Whether one rule covers every right of another, which has no paths. */
function coversAll(
  held: HeldRule,
  { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule,
): boolean {
  return (
    nonResourceURLs.length === 0 &&
    (verbs ?? []).every((verb) => has(held.verbs, verb)) &&
    apiGroups.every((group) => has(held.groups, group)) &&
    resources.every((resource) => coversResource(held.resources, resource)) &&
    (held.names.size === 0 || (resourceNames.length > 0 && resourceNames.every((name) => held.names.has(name))))
  );
}

function countRights({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): number {
  const onResources = apiGroups.length * resources.length * Math.max(1, resourceNames.length);
  return (onResources + nonResourceURLs.length) * (verbs?.length ?? 0);
}

function breakDown(rule: PolicyRule): SingleRight[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const verbs = rule.verbs ?? [];
  const names: readonly (string | undefined)[] = resourceNames.length > 0 ? resourceNames : [undefined];
  const onResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => names.map((name) => ({ verb, group, resource, ...(name === undefined ? {} : { name }) }))),
    ),
  );
  return [...onResources, ...nonResourceURLs.flatMap((path) => verbs.map((verb) => ({ verb, path })))];
}

function covers(rule: HeldRule, { verb, group = '', resource = '', name, path }: SingleRight): boolean {
  if (!has(rule.verbs, verb)) return false;
  if (path !== undefined) return coversPath(rule, path);
  if (!has(rule.groups, group) || !coversResource(rule.resources, resource)) return false;
  return rule.names.size === 0 || (name !== undefined && rule.names.has(name));
}

/** As upstream, a rule with resourceNames covers no paths. */
function coversPath({ paths, names }: HeldRule, path: string): boolean {
  return names.size === 0 && paths.some((pattern) => pathCovers(pattern, path));
}

function coversResource(list: ReadonlySet<string>, resource: string): boolean {
  if (has(list, resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && list.has(`*${resource.slice(slash)}`);
}

function has(list: ReadonlySet<string>, value: string): boolean {
  return list.has(value) || list.has('*');
}

function toRule({ verb, group, resource, name, path }: SingleRight): PolicyRule {
  if (path !== undefined) return { verbs: [verb], nonResourceURLs: [path] };
  return {
    verbs: [verb],
    apiGroups: [group ?? ''],
    resources: [resource ?? ''],
    ...(name === undefined ? {} : { resourceNames: [name] }),
  };
}

/**
 * Formats missing rights as upstream's message does: rights that differ only by verb share a line, lines are sorted and unique (kubernetes
 * pkg/registry/rbac/validation, CompactRules and CompactString).
 */
export function describeRights(rights: readonly PolicyRule[]): string[] {
  const merged = new Map<string, PolicyRule & { readonly verbs: string[] }>();
  rights.forEach((right, at) => {
    const id = right.nonResourceURLs ? `path ${at}` : JSON.stringify([right.apiGroups, right.resources, right.resourceNames]);
    const known = merged.get(id);
    if (known) known.verbs.push(...(right.verbs ?? []));
    else merged.set(id, { ...right, verbs: [...(right.verbs ?? [])] });
  });
  return [...new Set([...merged.values()].map(describeRule))].sort();
}

function describeRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts: [string, List][] = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ];
  const given = parts.filter(([, list]) => list && list.length > 0);
  return `{${given.map(([name, list]) => `${name}:${goList(list ?? [])}`).join(', ')}}`;
}

/** Go's %q of a list of strings. */
export function goList(list: Texts): string {
  return `[${list.map(quote).join(' ')}]`;
}
