import { describe, expect, it } from '@jest/globals';
import { leaseV1Schema } from '../../apis/coordination/lease/lease.schema.js';
import { ApiError } from '../errors/api-error.js';
import type { KubeObject } from '../meta/object-meta.schema.js';
import type { Status } from '../meta/status.schema.js';
import { FieldManager } from './field-manager.js';

const apiVersion = 'coordination.k8s.io/v1';
const manager = new FieldManager({ kind: 'Lease', versions: { [apiVersion]: leaseV1Schema } });

interface Lease extends KubeObject {
  spec: Record<string, unknown>;
}

const configuration = (spec?: unknown, metadata: Record<string, unknown> = {}) => ({
  apiVersion,
  kind: 'Lease',
  metadata: { name: 'x', ...metadata },
  ...(spec === undefined ? {} : { spec }),
});

/** One object and a series of writes to it, a second apart. */
class Story {
  live: Lease | undefined;
  #seconds = 0;

  apply(name: string, body: Record<string, unknown>, force = false): this {
    return this.#store(manager.apply(this.live, body, { ...this.#write(name), force }));
  }

  update(name: string, change: (next: Lease) => void): this {
    const next = structuredClone(this.live ?? (configuration({}) as unknown as Lease));
    change(next);
    return this.#store(manager.update(this.live, next, this.#write(name)));
  }

  refused(name: string, body: Record<string, unknown>): Status {
    try {
      manager.apply(this.live, body, { ...this.#write(name), force: false });
    } catch (error) {
      if (error instanceof ApiError) return error.status;
      throw error;
    }
    throw new Error('was not refused');
  }

  owners(): Record<string, unknown> {
    const entries = this.live?.metadata.managedFields ?? [];
    return Object.fromEntries(
      entries.map((entry) => [`${entry.operation} ${entry.manager} ${entry.time?.slice(17, 19) ?? '-'}`, entry.fieldsV1]),
    );
  }

  #write(name: string) {
    return { manager: name, apiVersion, now: `2026-01-01T00:00:${String(this.#seconds++).padStart(2, '0')}Z` };
  }

  #store(next: KubeObject): this {
    this.live = JSON.parse(JSON.stringify(next)) as Lease;
    this.live.metadata.uid ??= 'u';
    return this;
  }
}

const owned = (...names: string[]) => ({ 'f:spec': Object.fromEntries(names.map((name) => [`f:${name}`, {}])) });

describe('FieldManager.apply', () => {
  it('creates the object, and the applier owns what it wrote', () => {
    const story = new Story().apply('a', configuration({ holderIdentity: 'h' }, { labels: { l: '1' } }));
    expect(story.live?.spec).toEqual({ holderIdentity: 'h' });
    expect(story.owners()).toEqual({ 'Apply a 00': { 'f:metadata': { 'f:labels': { 'f:l': {} } }, ...owned('holderIdentity') } });
  });

  it('removes fields that the applier omits and nobody else owns', () => {
    const story = new Story()
      .apply('a', configuration({ holderIdentity: 'h', leaseDurationSeconds: 15, leaseTransitions: 1 }))
      .apply('b', configuration({ leaseTransitions: 1 }))
      .apply('a', configuration({ holderIdentity: 'h' }));
    expect(story.live?.spec).toEqual({ holderIdentity: 'h', leaseTransitions: 1 });
  });

  it('reports every conflicting path, by owner', () => {
    const story = new Story()
      .apply('b', configuration({ holderIdentity: 'h' }))
      .update('a', (next) => (next.spec['leaseDurationSeconds'] = 15));
    expect(story.refused('c', configuration({ holderIdentity: 'x', leaseDurationSeconds: 16 }))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Apply failed with 2 conflicts: conflicts with "a" using coordination.k8s.io/v1:\n- .spec.leaseDurationSeconds\nconflicts with "b":\n- .spec.holderIdentity',
      details: {
        causes: [
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "a" using coordination.k8s.io/v1',
            field: '.spec.leaseDurationSeconds',
          },
          { reason: 'FieldManagerConflict', message: 'conflict with "b"', field: '.spec.holderIdentity' },
        ],
      },
    });
  });

  it('takes ownership of conflicting paths with force', () => {
    const story = new Story()
      .apply('a', configuration({ holderIdentity: 'h', leaseTransitions: 1 }))
      .apply('b', configuration({ holderIdentity: 'x' }), true);
    expect(story.live?.spec['holderIdentity']).toBe('x');
    expect(story.owners()).toEqual({ 'Apply a 00': owned('leaseTransitions'), 'Apply b 01': owned('holderIdentity') });
  });

  it('shares ownership of equal values, and sets no time for the applier that changed nothing', () => {
    const story = new Story().apply('a', configuration({ holderIdentity: 'h' })).apply('b', configuration({ holderIdentity: 'h' }));
    expect(story.owners()).toEqual({ 'Apply b -': owned('holderIdentity'), 'Apply a 00': owned('holderIdentity') });
  });

  it('assigns untracked fields to before-first-apply', () => {
    const story = new Story()
      .update('a', (next) => (next.spec['holderIdentity'] = 'h'))
      .update('a', (next) => (next.metadata.managedFields = []))
      .apply('b', configuration({ leaseTransitions: 1 }));
    expect(story.owners()).toEqual({ 'Update before-first-apply 02': owned('holderIdentity'), 'Apply b 02': owned('leaseTransitions') });
  });

  it.each(['labels', 'managedFields'])('takes a null for metadata.%s for a change, which sets the time', (field) => {
    const owners = new Story()
      .apply('a', configuration({ holderIdentity: 'h' }))
      .apply('b', configuration({ holderIdentity: 'h' }, { [field]: null }))
      .owners();
    expect(Object.keys(owners)).toEqual(['Apply a 00', 'Apply b 01']);
  });

  it('clears a field with null and still owns it', () => {
    const story = new Story().apply('a', configuration({ holderIdentity: 'h' })).apply('a', configuration({ holderIdentity: null }));
    expect(story.live?.spec).toEqual({});
    expect(story.owners()).toEqual({ 'Apply a 01': owned('holderIdentity') });
  });

  it('keeps the time of an applier whose earlier version is unknown, if it changes nothing', () => {
    const story = new Story().apply('a', configuration({ holderIdentity: 'x' }));
    const [entry] = story.live?.metadata.managedFields ?? [];
    if (entry) Object.assign(entry, { apiVersion: 'other.example/v1' });
    expect(Object.keys(story.apply('a', configuration({ holderIdentity: 'x' })).owners())).toEqual(['Apply a 00']);
  });

  it('stores times in canonical form, but compares them as text', () => {
    const story = new Story().apply('a', configuration({ renewTime: '2026-01-02T05:04:05.000006+02:00' }));
    expect(story.live?.spec['renewTime']).toBe('2026-01-02T03:04:05.000006Z');
    expect(story.refused('b', configuration({ renewTime: '2026-01-02T05:04:05.000006+02:00' })).code).toBe(409);
  });

  it('lets kubectl take ownership of the fields in the last-applied annotation, and updates the annotation', () => {
    const last = (spec: unknown) => `${JSON.stringify({ apiVersion, kind: 'Lease', metadata: { name: 'x' }, spec })}\n`;
    const key = 'kubectl.kubernetes.io/last-applied-configuration';
    const story = new Story().update('kubectl-client-side-apply', (next) => {
      next.spec = { holderIdentity: 'h' };
      next.metadata.annotations = { [key]: last({ holderIdentity: 'h' }) };
    });
    expect(story.refused('other', configuration({ holderIdentity: 'x' })).code).toBe(409);
    story.apply('kubectl', configuration({ holderIdentity: 'x' }));
    expect(story.live?.spec['holderIdentity']).toBe('x');
    expect(story.live?.metadata.annotations?.[key]).toBe(last({ holderIdentity: 'x' }));
    story.update('b', (next) => (next.spec['holderIdentity'] = 'y'));
    expect(story.refused('kubectl', configuration({ holderIdentity: 'z' })).message).toContain('conflict with "b"');
  });

  it.each([
    ['unknown fields', configuration({ bogus: 1 }), '.spec.bogus: field not declared in schema'],
    ['unknown names of every object', configuration({}, { constructor: 'x' }), '.metadata.constructor: field not declared in schema'],
    ['wrong shapes', configuration('text'), '.spec: expected map, got "text"'],
    ['duplicates in a set', configuration({}, { finalizers: ['a', 'a'] }), '.metadata.finalizers: duplicate entries for key [="a"]'],
    [
      'wrong types inside atomic items',
      configuration({}, { ownerReferences: [{ uid: 5 }] }),
      '.metadata.ownerReferences[uid=5].uid: expected string, got 5',
    ],
  ])('refuses %s with 400', (_what, body, error) => {
    const message = `failed to create typed patch object (/x; coordination.k8s.io/v1, Kind=Lease): ${error}`;
    expect(new Story().refused('a', body)).toMatchObject({ code: 400, reason: 'BadRequest', message });
  });

  it('refuses any number of errors with 400 and a bounded message', () => {
    const labels = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, index]));
    for (const metadata of [{ finalizers: Array(200_000).fill('a') }, { finalizers: Array(200_000).fill(5) }, { labels }]) {
      const { code, message } = new Story().refused('a', configuration({}, metadata));
      expect([code, message?.split('\n').length]).toEqual([400, 101]);
    }
  });

  it('refuses with 400 values that fit the schema but not the Go type', () => {
    expect(new Story().refused('a', configuration({ leaseDurationSeconds: 1.5 })).message).toBe(
      'failed to convert new object (/x; coordination.k8s.io/v1, Kind=Lease) to proper version: unable to convert unstructured object to coordination.k8s.io/v1, Kind=Lease: cannot convert float64 to int32',
    );
  });

  it.each([
    [{ apiVersion, kind: 'Pod' }, 'coordination.k8s.io/v1, Kind=Pod'],
    [{ apiVersion: 'v1', kind: 'Lease' }, '/v1, Kind=Lease'],
    [{ apiVersion: 'a/b/c', kind: 'Lease' }, '/, Kind='],
    [{ apiVersion: 5, kind: ['Lease'] }, '/, Kind='],
  ])('refuses %j', (body, shown) => {
    expect(new Story().refused('a', body)).toMatchObject({ code: 400, message: `invalid object type: ${shown}` });
  });

  it('refuses managedFields in the body, even an empty list', () => {
    expect(new Story().refused('a', configuration({}, { managedFields: [] })).message).toBe('metadata.managedFields must be nil');
  });

  it('applies labels named like inherited JavaScript properties', () => {
    const story = new Story()
      .apply('a', configuration({}, { labels: { constructor: 'x' } }))
      .apply('a', configuration({}, { labels: { b: 'y' } }));
    expect(story.live?.metadata.labels).toEqual({ b: 'y' });
  });
});
