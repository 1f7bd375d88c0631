import { describe, expect, it } from '@jest/globals';
import { type TypeOf, bool, field, int32, list, map, raw, requiredField, string, struct, time, typeMetaFields } from './struct-type.js';

const part = struct('example.v1.Part', 'A part.', [
  requiredField('id', 1, int32(), 'Its number.'),
  field('on', 2, bool(), 'optional', 'Whether it is on.'),
]);

const thing = struct('example.v1.Thing', 'A thing.', [
  ...typeMetaFields(),
  field('part', 1, part, 'always', 'Its main part.'),
  field('spare', 2, part, 'optional', 'Its spare part.'),
  field('phase', 3, string('v1.Phase', ['Active', 'Terminating']), 'omitEmpty', 'Its phase.'),
  field('parts', 4, list(part), 'always', 'Its parts.'),
  field('labels', 5, map(string()), 'omitEmpty', 'Its labels.'),
  field('made', 6, time(), 'always', 'When it was made.'),
  { ...field('seconds', 7, int32(), 'optional', 'How long it lasts.'), writesNull: true },
  field('extra', 8, raw<Record<string, unknown>>(), 'optional', 'Anything.'),
]);

type Part = TypeOf<typeof part>;
type Thing = TypeOf<typeof thing>;

/** `true` if both types are the same, optional and read-only modifiers included; else `false`, to which `true` is not assignable. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** What the compiler says: tsc checks specs, and an unused `@ts-expect-error` is an error. */
describe('the TypeScript type of a schema', () => {
  it('requires structs and scalars that are always present, and allows null where Go writes nil', () => {
    const same: Same<
      Thing,
      {
        part: Part;
        kind?: string;
        apiVersion?: string;
        spare?: Part;
        phase?: 'Active' | 'Terminating';
        parts?: readonly Part[] | null;
        labels?: Record<string, string>;
        made?: string | null;
        seconds?: number | null;
        extra?: Record<string, unknown>;
      }
    > = true;
    expect(same).toBe(true);
  });

  it('accepts a complete value', () => {
    const value: Thing = {
      apiVersion: 'example/v1',
      kind: 'Thing',
      part: { id: 1 },
      phase: 'Active',
      parts: [{ id: 2, on: false }],
      labels: { a: 'b' },
      made: null,
      extra: { any: [1] },
    };
    expect(thing.fields.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(value)));
  });

  it('rejects unknown fields, wrong types, missing fields, other enum values and null', () => {
    const wrong: readonly unknown[] = [
      // @ts-expect-error -- unknown field
      { part: { id: 1 }, unknown: 1 } satisfies Thing,
      // @ts-expect-error -- unknown field of a nested struct
      { part: { id: 1, unknown: 1 } } satisfies Thing,
      // @ts-expect-error -- missing field
      { part: {} } satisfies Thing,
      // @ts-expect-error -- wrong scalar
      { part: { id: '1' } } satisfies Thing,
      // @ts-expect-error -- wrong item of a list
      { part: { id: 1 }, parts: [1] } satisfies Thing,
      // @ts-expect-error -- wrong value of a map
      { part: { id: 1 }, labels: { a: 1 } } satisfies Thing,
      // @ts-expect-error -- not one of the enum's values
      { part: { id: 1 }, phase: 'Gone' } satisfies Thing,
      // @ts-expect-error -- null where absent values are left out
      { part: { id: 1 }, spare: null } satisfies Thing,
    ];
    expect(wrong).toHaveLength(8);
  });
});
