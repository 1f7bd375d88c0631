import { quote } from '../../../apimachinery/errors/field-error.js';
import type { PolicyRule } from './policy-rule.js';
import { pathCovers } from './policy-rule.js';

type Texts = readonly string[];

/** One right: at most one group, resource, name and verb, or one path and verb. */
interface SingleRight {
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly path?: string;
}

/**
 * The rights in `wanted` that `held` does not give, one rule each (component-helpers auth/rbac/validation/policy_comparator.go). Rules
 * are broken down until one held rule covers a right or none does.
 */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted
    .flatMap(breakDown)
    .filter((right) => !held.some((rule) => covers(rule, right)))
    .map(toRule);
}

function breakDown({ verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): SingleRight[] {
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

/** Upstream looks at names here too: a rule that has any gives no paths. */
function coversPath({ nonResourceURLs = [], resourceNames = [] }: PolicyRule, path: string): boolean {
  return resourceNames.length === 0 && nonResourceURLs.some((pattern) => pathCovers(pattern, path));
}

function coversResource(list: Texts | undefined, resource: string): boolean {
  if (has(list, resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && (list?.includes(`*${resource.slice(slash)}`) ?? false);
}

function has(list: Texts | undefined, value: string): boolean {
  return list !== undefined && (list.includes(value) || list.includes('*'));
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
 * Missing rights as upstream's message lists them: those that differ by verb alone in one line, the lines sorted and each only once
 * (kubernetes pkg/registry/rbac/validation, CompactRules and CompactString).
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
  const parts: [string, Texts | undefined][] = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ];
  const given = parts.filter(([, list]) => list !== undefined && list.length > 0);
  return `{${given.map(([name, list]) => `${name}:${goList(list ?? [])}`).join(', ')}}`;
}

/** Go's %q of a list of strings. */
export function goList(list: Texts): string {
  return `[${list.map(quote).join(' ')}]`;
}
