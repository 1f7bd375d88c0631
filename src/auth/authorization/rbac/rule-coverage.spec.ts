import fc from 'fast-check';
import type { AuthorizationAttributes } from '../authorizer.js';
import type { PolicyRule } from '../rbac.schema.js';
import { ruleAllows } from '../node-authorizer.js';
import { describeRights, MAX_COMPARISONS, missingRights as missingRightsWithin } from './rule-coverage.js';

const missingRights = (held: readonly PolicyRule[], wanted: readonly PolicyRule[]) => missingRightsWithin(held, wanted) ?? [];

const some = (...values: string[]) => fc.subarray(values, { minLength: 1, maxLength: 2 });
const resources = fc.record(
  {
    verbs: some('get', 'list', '*'),
    apiGroups: some('', 'g', '*'),
    resources: some('a', 'b', 'a/s', '*/s', '*'),
    resourceNames: some('x', 'y'),
  },
  { requiredKeys: ['verbs', 'apiGroups', 'resources'] },
);
const paths = fc.record({ verbs: some('get', '*'), nonResourceURLs: some('/p', '/p/q', '/p*', '/p/*', '*') });
const rules: fc.Arbitrary<PolicyRule[]> = fc.array(fc.oneof(resources, paths), { maxLength: 3 });

const attributes: fc.Arbitrary<AuthorizationAttributes> = fc.record({
  isResourceRequest: fc.boolean(),
  verb: fc.constantFrom('get', 'list', 'delete'),
  apiGroup: fc.constantFrom('', 'g', 'h'),
  apiVersion: fc.constant('v1'),
  namespace: fc.constant(''),
  resource: fc.constantFrom('a', 'b', 'c'),
  subresource: fc.constantFrom('', 's', 't'),
  name: fc.constantFrom('', 'x', 'y', 'z'),
  path: fc.constantFrom('/', '/p', '/p/q', '/pq'),
});

describe('missingRights', () => {
  it('finds nothing only if everything granted is held', () => {
    fc.assert(
      fc.property(rules, rules, attributes, (held, wanted, request) => {
        fc.pre(missingRights(held, wanted).length === 0 && wanted.some((rule) => ruleAllows(rule, request)));
        return held.some((rule) => ruleAllows(rule, request));
      }),
      { numRuns: 300 },
    );
  });

  it('finds nothing once the missing rights are held as well', () => {
    fc.assert(fc.property(rules, rules, (held, wanted) => missingRights([...held, ...missingRights(held, wanted)], wanted).length === 0));
  });

  it('treats a right on all objects as missing if only some names are held', () => {
    const all: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['a'] };
    const named: PolicyRule = { ...all, resourceNames: ['x'] };
    expect(missingRights([named], [all])).toEqual([all]);
    expect(missingRights([all], [named])).toEqual([]);
  });
});

describe('the work of comparing rights', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `x${at}`);
  const wide = (count: number): PolicyRule => ({
    verbs: many(count),
    apiGroups: many(count),
    resources: many(count),
    resourceNames: many(count),
  });

  it('ends before rights are listed that are too many', () => {
    expect(missingRightsWithin([], [wide(2000)], MAX_COMPARISONS)).toBeUndefined();
    expect(missingRightsWithin([], [wide(5)], MAX_COMPARISONS)).toHaveLength(625);
  });

  it('does not list the rights of a rule that a held one covers', () => {
    expect(missingRightsWithin([wide(2000)], [wide(1999)], MAX_COMPARISONS)).toEqual([]);
    expect(missingRightsWithin([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], [wide(2000)], MAX_COMPARISONS)).toEqual([]);
  });

  it('ends where many rules meet many', () => {
    const rules = many(3000).map((resource): PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources: [resource] }));
    expect(missingRightsWithin(rules.slice(1), rules, MAX_COMPARISONS)).toBeUndefined();
    expect(missingRightsWithin(rules.slice(1, 200), rules.slice(0, 200), MAX_COMPARISONS)).toEqual([rules[0]]);
  });
});

describe('describeRights', () => {
  it('joins verbs of the same resource and sorts the lines', () => {
    const wanted: PolicyRule[] = [
      { verbs: ['*'], nonResourceURLs: ['*'] },
      { verbs: ['get', 'list'], apiGroups: ['g'], resources: ['a'], resourceNames: ['x'] },
    ];
    expect(describeRights(missingRights([], wanted))).toEqual([
      '{APIGroups:["g"], Resources:["a"], ResourceNames:["x"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["*"], Verbs:["*"]}',
    ]);
  });
});
