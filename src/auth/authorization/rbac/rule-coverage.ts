import { quote } from '../../../apimachinery/go/quote.js';
import type { PolicyRule } from '../rbac.schema.js';
import { pathCovers } from '../rule-allows.js';

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

/**
 * Returns the rights in `wanted` that `held` does not cover, one rule each (component-helpers auth/rbac/validation/policy_comparator.go).
 */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted
    .flatMap(breakDown)
    .filter((right) => !held.some((rule) => covers(rule, right)))
    .map(toRule);
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

function covers(rule: PolicyRule, right: SingleRight): boolean {
  if (!has(rule.verbs, right.verb)) return false;
  if (right.path !== undefined) return coversPath(rule, right.path);
  const { group = '', resource = '', name } = right;
  if (!has(rule.apiGroups, group) || !coversResource(rule.resources, resource)) return false;
  const names = rule.resourceNames ?? [];
  return names.length === 0 || (name !== undefined && names.includes(name));
}

/** As upstream, a rule with resourceNames covers no paths. */
function coversPath({ nonResourceURLs = [], resourceNames = [] }: PolicyRule, path: string): boolean {
  return resourceNames.length === 0 && nonResourceURLs.some((pattern) => pathCovers(pattern, path));
}

function coversResource(list: List, resource: string): boolean {
  if (has(list, resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && (list?.includes(`*${resource.slice(slash)}`) ?? false);
}

function has(list: List, value: string): boolean {
  return list?.includes(value) || list?.includes('*') || false;
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
  const merged = new Map<string, PolicyRule>();
  rights.forEach((right, at) => {
    const id = right.nonResourceURLs ? `path ${at}` : JSON.stringify([right.apiGroups, right.resources, right.resourceNames]);
    const known = merged.get(id);
    merged.set(id, known ? { ...known, verbs: [...(known.verbs ?? []), ...(right.verbs ?? [])] } : right);
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
