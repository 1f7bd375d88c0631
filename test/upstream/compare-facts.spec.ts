import { describe, expect, it } from '@jest/globals';
import { compareFacts, undeclaredFacts } from './compare-facts.js';

const facts = (...entries: (readonly [string, string])[]) => new Map(entries);
const LEASE = 'openapi apis/coordination.k8s.io/v1 components schemas io.k8s.api.coordination.v1.Lease';

describe('facts of two originals', () => {
  it('are compared by their names', () => {
    const before = facts(['gate A', 'BETA off'], ['metric gone', 'gauge'], ['flag same', '']);
    const after = facts(['gate A', 'BETA on'], ['flag new', ''], ['flag same', '']);
    expect(compareFacts(before, after)).toEqual(['+ flag new', '~ gate A: BETA off -> BETA on', '- metric gone gauge']);
  });
});

describe('facts of the original and of this server', () => {
  const undeclared = (original: readonly [string, string], ...ours: (readonly [string, string])[]) =>
    undeclaredFacts(facts(original), facts(...ours));

  it('differ in columns and schemas', () => {
    expect(undeclared(['column leases Holder', 'a'], ['column leases Holder', 'b'])).toEqual(['~ column leases Holder: a -> b']);
    expect(undeclared([`${LEASE} type`, '"object"'], [`${LEASE} format`, 'x'])).toEqual([`- ${LEASE} type "object"`]);
  });

  it('do not differ in what this server chooses: descriptions, schemas and rights of what it has not, its own metrics and gates', () => {
    expect(undeclared([`${LEASE} description`, '"a"'], [`${LEASE} description`, '"b"'])).toEqual([]);
    expect(undeclared(['openapi api/v1 components schemas io.k8s.api.core.v1.Pod type', '"object"'])).toEqual([]);
    expect(undeclared(['metric etcd_requests', 'counter'])).toEqual([]);
    expect(undeclared(['gate A', 'BETA on'])).toEqual([]);
    expect(undeclared(['flag etcd-prefix', ''])).toEqual([]);
    expect(undeclared(['column leases A', 'a'], ['column leases A', 'a'], ['column leases Own', 'b'])).toEqual([]);
  });

  it('differ in rights on resources that it has, in roles that it has', () => {
    const ours: [string, string] = ['role edit get leases.coordination.k8s.io', ''];
    expect(undeclared(['role edit get pods', ''], ours)).toEqual([]);
    expect(undeclared(['role system:controller:job-controller get leases.coordination.k8s.io', ''], ours)).toEqual([]);
    const list = 'role edit list leases.coordination.k8s.io';
    expect(undeclared([list, ''], ours)).toEqual([`- ${list}`]);
  });
});
