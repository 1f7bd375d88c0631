import { jest } from '@jest/globals';
import type { ResourceRegistry } from '../../registry/resource-registry.js';
import type { MediaTypes } from '../negotiation/output-negotiation.js';
import { parseRequestUrl } from '../request-info/query.js';
import { RouteTable } from './route-table.js';

const table = new RouteTable({ groups: [] } as unknown as ResourceRegistry, { serializers: { mediaTypes: [] } } as unknown as MediaTypes);

function find(url: string): unknown {
  const parsed = parseRequestUrl(url);
  return parsed && table.find('GET', parsed);
}

describe('an unknown path', () => {
  it('gets a Status below the root of a service, and a text elsewhere', () => {
    expect(['/version/a/b', '/versions/a', '/a/version/b'].map(find)).toEqual(['status', 'text', 'text']);
  });

  it('is not looked up at each of its slashes', () => {
    const has = jest.spyOn(Set.prototype, 'has');
    try {
      expect(find(`/apis${'/'.repeat(100_000)}`)).toBe('text');
      expect(has.mock.calls.length).toBeLessThan(20);
    } finally {
      has.mockRestore();
    }
  });
});
