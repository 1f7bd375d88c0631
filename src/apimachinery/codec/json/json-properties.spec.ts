import fc from 'fast-check';
import { leaseV1Schema } from '../../../apis/coordination/lease/lease.schema.js';
import { canonicalize } from '../../schema/canonical-object.js';
import { YamlSerializer } from '../yaml/yaml-serializer.js';
import { leaseArbitrary } from '../testing/lease-arbitrary.js';
import { ExactDecoder } from './exact-decoder.js';
import { compileDecoder } from './json-decoder.js';
import { compileEncoder } from './json-encoder.js';
import { syntaxError } from './json-syntax.js';
import { prettyJson } from './json-serializer.js';

const decode = compileDecoder(leaseV1Schema);
const encode = compileEncoder(leaseV1Schema);

/** JSON text whose objects may have duplicate keys, and the duplicates that a naive reader counts. */
type Tree = string | number | null | readonly Tree[] | { readonly members: readonly (readonly [string, Tree])[] };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Tree>('a', '<\u2028>', 5, null),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.array(fc.tuple(fc.constantFrom('a', 'b', '__proto__', 'x:{"'), tie('tree')), { maxLength: 4 }).map((members) => ({ members })),
  ),
}));

function write(value: Tree): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if ('members' in value) return `{${value.members.map(([key, member]) => `${JSON.stringify(key)} : ${write(member)}`).join(',')}}`;
  return `[${value.map(write).join(' , ')}]`;
}

function findDuplicates(value: Tree, at: string): string[] {
  if (value === null || typeof value !== 'object' || !('members' in value)) return [];
  const seen = new Set<string>();
  return value.members.flatMap(([key]) => {
    const found = seen.has(key) ? [`duplicate field ${JSON.stringify(`${at}.${key}`)}`] : [];
    seen.add(key);
    return found;
  });
}

describe('JSON of any Lease', () => {
  it('is decoded to the same object, on the fast path and on the exact one', () => {
    fc.assert(
      fc.property(leaseArbitrary, (object) => {
        const text = encode(object);
        expect(decode.tryFast(text) ?? 'not fast').toEqual(object);
        expect(canonicalize(leaseV1Schema, new ExactDecoder(text).decode(leaseV1Schema).object)).toEqual(object);
        expect(decode(prettyJson(text), { strict: true })).toEqual({ object, strictErrors: [] });
        expect(encode(decode(text, { strict: true }).object)).toBe(text);
      }),
    );
  });

  it('is decoded to the same object through YAML', () => {
    const yaml = new YamlSerializer();
    const expected = {
      group: 'coordination.k8s.io',
      version: 'v1',
      kind: 'Lease',
      schema: leaseV1Schema,
      kinds: { isRegistered: () => false, isInternal: () => false },
    };
    fc.assert(
      fc.property(leaseArbitrary, (object) => {
        expect(yaml.decodeObject(Buffer.from(yaml.encodeObject(leaseV1Schema, object)), expected, 'Strict').object).toEqual(object);
      }),
      { numRuns: 50 },
    );
  });
});

describe('duplicate keys', () => {
  it('are found exactly where a simple reference implementation finds them', () => {
    const labels = fc.array(fc.tuple(fc.constantFrom('a', 'b', '__proto__', ''), fc.constantFrom('x', 'y')), { maxLength: 5 });
    fc.assert(
      fc.property(labels, (members) => {
        const { object, strictErrors } = decode(`{"metadata":{"labels":${write({ members })}}}`, { strict: true });
        expect(strictErrors).toEqual([...new Set(findDuplicates({ members }, 'metadata.labels'))]);
        const last = [...new Map(members)].sort();
        expect(Object.entries((object as { metadata: { labels?: object } }).metadata.labels ?? {}).sort()).toEqual(last);
      }),
    );
  });

  it('are not reported inside FieldsV1, where the last one wins', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const text = write(value);
        const { object, strictErrors } = decode(`{"metadata":{"managedFields":[{"manager":"m","fieldsV1":${text}}]}}`, { strict: true });
        const entry = (object as { metadata: { managedFields: [{ fieldsV1?: unknown }] } }).metadata.managedFields[0];
        expect(strictErrors).toEqual([]);
        expect(JSON.stringify(entry.fieldsV1 ?? null)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });
});

describe('the syntax check', () => {
  it('accepts what JSON.parse accepts, and nothing else', () => {
    const alphabet = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      ' ',
      '\\',
      'u',
      '0',
      '1',
      '-',
      '.',
      'e',
      '+',
      'true',
      'null',
      'fals',
      '"a"',
      '"a":',
      '\n',
      '\x01',
      'é',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(alphabet, { maxLength: 12 }).map((parts) => parts.join('')),
          tree.map(write),
        ),
        (text) => {
          let valid = true;
          try {
            JSON.parse(text);
          } catch {
            valid = false;
          }
          expect(syntaxError(Buffer.from(text)) === undefined).toBe(valid);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{,}', "invalid character ',' looking for beginning of object key string"],
    ['tru ', "invalid character ' ' in literal true (expecting 'e')"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['"\x01"', "invalid character '\\x01' in string literal"],
    ['"\\q"', "invalid character 'q' in string escape code"],
    ['"\\u00zz"', "invalid character 'z' in \\u hexadecimal character escape"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ['é', "invalid character 'Ã' looking for beginning of value"],
    ['01', "invalid character '1' after top-level value"],
    ['['.repeat(10_001), "invalid character '[' exceeded max depth"],
    ['['.repeat(10_000), 'unexpected end of JSON input'],
    ['{"a":t', "invalid character ' ' in literal true (expecting 'r')"],
    ['[-', "invalid character ' ' in numeric literal"],
    ['1.', "invalid character ' ' after decimal point in numeric literal"],
    ['1e+', "invalid character ' ' in exponent of numeric literal"],
    ['"a\\', "invalid character ' ' in string escape code"],
    ['"\\u12', "invalid character ' ' in \\u hexadecimal character escape"],
    ['"a', 'unexpected end of JSON input'],
    ['{"a"', 'unexpected end of JSON input'],
    ['[1,', 'unexpected end of JSON input'],
  ])('describes %j as Go does', (text, problem) => {
    expect(syntaxError(Buffer.from(text))).toBe(problem);
  });
});
