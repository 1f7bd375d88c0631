import { readFileSync } from 'node:fs';
import { DEFAULT_POLICY_TEXT, readPolicy } from './read-policy.js';

const policy = (rest: object) => JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', ...rest });

describe('readPolicy', () => {
  it('reads YAML and JSON', () => {
    expect(readPolicy('apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n').policy.rules).toHaveLength(1);
    expect(readPolicy(policy({ rules: [{ level: 'None', omitStages: ['Panic'] }] })).policy.rules[0]?.omitStages).toEqual(['Panic']);
  });

  it('ignores unknown fields and lists them', () => {
    const read = readPolicy(policy({ rules: [{ level: 'None', user: ['ann'], resources: [{ groups: '' }] }] }));
    expect(read.unknownFields).toEqual(['rules[0].user', 'rules[0].resources[0].groups']);
  });

  it.each([
    [policy({ rules: [{}] }), 'rules[0].level: Required value'],
    [
      policy({ rules: [{ level: 'All' }] }),
      'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [
      policy({ rules: [{ level: 'None', nonResourceURLs: ['healthz', '/a*b'] }] }),
      '[rules[0].nonResourceURLs[0]: Invalid value: "healthz": non-resource URL rules must begin with a \'/\' character, ' +
        'rules[0].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards \'*\' must be the final character of the rule]',
    ],
    [
      policy({ rules: [{ level: 'None', nonResourceURLs: ['/a'], namespaces: ['b'] }] }),
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      policy({ rules: [{ level: 'None', resources: [{ group: '', resourceNames: ['x'] }] }] }),
      'rules[0].resources.resourceNames: Invalid value: ["x"]: using resourceNames requires at least one resource',
    ],
    [policy({ rules: [{ level: 'None', resources: [{ group: 'a/v1' }] }] }), 'rules[0].resources.group: Invalid value: "a/v1"'],
    [
      policy({ omitStages: ['Never'], rules: [{ level: 'None' }] }),
      'omitStages[0]: Invalid value: "Never": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [policy({}), 'loaded illegal policy with 0 rules'],
    ['apiVersion: v1\nkind: Policy\n', 'unknown group version field v1, Kind=Policy in policy'],
    ['a: [', 'failed decoding'],
    [policy({ rules: [{ level: 'None', users: 'ann' }] }), 'failed decoding: rules[0].users must be a list'],
    [policy({ rules: [{ level: 7 }] }), 'failed decoding: rules[0].level must be a text'],
    [policy({ rules: [{ level: 'None' }], omitManagedFields: 'yes' }), 'failed decoding: omitManagedFields must be true or false'],
    ['', 'failed decoding: the policy must be an object'],
  ])('refuses %s', (text, message) => {
    expect(() => readPolicy(text)).toThrow(message);
  });
});

test('the documentation shows the default policy', () => {
  const documentation = readFileSync(new URL('../../../docs/audit.md', import.meta.url), 'utf8');
  expect(/```yaml\n([^`]*)```/.exec(documentation)?.[1]).toBe(DEFAULT_POLICY_TEXT);
});
