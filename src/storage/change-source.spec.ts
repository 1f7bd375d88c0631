import { describe, expect, it } from '@jest/globals';
import { translateEvent } from './change-source.js';
import type { StoreEvent, StoredObject } from './object-store.js';

const state = (data: string, revision: number): StoredObject => ({
  key: { resource: 'things', namespace: 'ns', name: 'a' },
  uid: 'u',
  data,
  terminating: false,
  revision,
});
const modified = (before: string, after: string): StoreEvent => ({
  type: 'MODIFIED',
  revision: 2,
  object: state(after, 2),
  previous: state(before, 1),
});
const deleted = (data: string): StoreEvent => ({ type: 'DELETED', revision: 2, object: state(data, 2), previous: state(data, 1) });
const isRed = (object: StoredObject) => object.data === 'red';
const isGreen = (object: StoredObject) => object.data === 'green';

describe('a change filtered by a predicate', () => {
  it('is the change itself without a predicate', () => {
    const event = modified('red', 'green');
    expect(translateEvent(event, undefined)).toBe(event);
  });

  it('is ADDED when the object starts to match', () => {
    expect(translateEvent(modified('green', 'red'), isRed)).toEqual({ type: 'ADDED', revision: 2, object: state('red', 2) });
  });

  it('is unchanged while the object matches', () => {
    const event = modified('red', 'red');
    expect(translateEvent(event, isRed)).toBe(event);
  });

  it('is DELETED with the old content and the new revision when the object stops matching', () => {
    const translated = translateEvent(modified('red', 'green'), isRed);
    expect(translated).toEqual({ type: 'DELETED', revision: 2, object: state('red', 2), previous: state('red', 1) });
  });

  it('is one shared object for all watchers that it leaves', () => {
    const event = modified('red', 'green');
    expect(translateEvent(event, isRed)).toBe(translateEvent(event, (object) => isRed(object)));
  });

  it('is nothing if neither state matches', () => {
    expect(translateEvent(modified('red', 'blue'), isGreen)).toBeUndefined();
    expect(translateEvent(deleted('red'), isGreen)).toBeUndefined();
    expect(translateEvent({ type: 'ADDED', revision: 1, object: state('red', 1) }, isGreen)).toBeUndefined();
  });

  it('is a deletion only if the object matched', () => {
    const event = deleted('red');
    expect(translateEvent(event, isRed)).toBe(event);
  });
});
