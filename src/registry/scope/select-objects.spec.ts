import { describe, expect, it } from '@jest/globals';
import { parseFieldSelector } from '../../apimachinery/selectors/field-selector.js';
import { leaseTermDefinition } from '../../apis/history/lease-term/lease-term.resource.js';
import type { LeaseTerm } from '../../apis/history/lease-term/lease-term.schema.js';
import type { ResourceScope } from './resource-scope.js';
import { fieldPredicate } from './select-objects.js';

const spec = { leaseName: 'web.main', leaseUID: 'l', holder: 'a', fencingToken: '1234', from: '2026-01-02T03:04:05.000000Z' };
const term = { metadata: { name: 'web.main.1234', namespace: 'default' }, spec, status: { phase: 'Held' } } as LeaseTerm;
const stored = {
  key: { resource: 'terms', namespace: 'default', name: 'web.main.1234' },
  uid: 'u',
  data: '',
  terminating: false,
  revision: 1,
};

/** Whether a selector matches the term, and how often the term was decoded. */
function select(selector: string): { matches: boolean; decoded: number } {
  let decoded = 0;
  const codec = { decode: () => (decoded++, term) };
  const scope = { definition: leaseTermDefinition, codec } as unknown as ResourceScope<LeaseTerm>;
  return { matches: fieldPredicate(scope, parseFieldSelector(selector))({ ...stored }), decoded };
}

describe('a field selector', () => {
  it.each(['spec.leaseName=web.main', 'spec.fencingToken=1234', 'metadata.namespace=default,spec.leaseName=web.main,spec.fencingToken!=1'])(
    'of fields that the name tells decodes no object: %s',
    (selector) => expect(select(selector)).toEqual({ matches: true, decoded: 0 }),
  );

  it.each(['spec.leaseName=web', 'spec.fencingToken=234', 'metadata.name=web.main'])('of another value matches nothing: %s', (selector) =>
    expect(select(selector)).toEqual({ matches: false, decoded: 0 }),
  );

  it('decodes the two states of an event once for all watchers', () => {
    let decoded = 0;
    const codec = { decode: () => (decoded++, term) };
    const scope = { definition: leaseTermDefinition, codec } as unknown as ResourceScope<LeaseTerm>;
    const [before, after] = [{ ...stored }, { ...stored, revision: 2 }];
    for (let watcher = 0; watcher < 100; watcher++) {
      const predicate = fieldPredicate(scope, parseFieldSelector('spec.holder=a'));
      expect([predicate(after), predicate(before)]).toEqual([true, true]);
    }
    expect(decoded).toBe(2);
  });

  it('decodes objects for other fields', () => {
    expect(select('spec.leaseName=web.main,spec.holder=a')).toEqual({ matches: true, decoded: 1 });
    expect(select('status.phase=Ended')).toEqual({ matches: false, decoded: 1 });
  });
});
