import { jest } from '@jest/globals';
import fc from 'fast-check';
import { parseFieldSelector } from './field-selector.js';
import { parseLabelSelector } from './label-selector.js';
import { parseShardSelector } from './shard-selector.js';

/** The object, and the number of reads of its properties. */
function counted(object: Record<string, string>) {
  const looks = { count: 0 };
  const look = <T>(result: T): T => {
    looks.count += 1;
    return result;
  };
  const proxy = new Proxy(object, {
    get: (target, key: string) => look(target[key]),
    getOwnPropertyDescriptor: (target, key) => look(Reflect.getOwnPropertyDescriptor(target, key)),
  });
  return { proxy, looks };
}

const MANY = Array.from({ length: 1900 }, (_, at) => at);

test('a label selector with many requirements reads the labels of an object, not every requirement', () => {
  const { proxy, looks } = counted({ a: '1', b: '2' });
  const selector = parseLabelSelector(MANY.map((at) => (at % 2 === 0 ? `!k${at}` : `a!=v${at}`)).join(','));
  expect(selector.matches(proxy)).toBe(true);
  expect(looks.count).toBeLessThan(10);
});

test('a long selector reads of an object with more labels only those that it names', () => {
  const { proxy, looks } = counted(Object.fromEntries(MANY.map((at) => [`l${at}`, 'v'])));
  const selector = parseLabelSelector(['l1', ...MANY.slice(0, 20).map((at) => `!k${at}`)].join(','));
  expect(selector.matches(proxy)).toBe(true);
  looks.count = 0;
  expect(selector.matches(proxy)).toBe(true);
  expect(looks.count).toBeLessThan(30);
  expect(
    parseLabelSelector(
      MANY.slice(0, 20)
        .map((at) => `!l${at}`)
        .join(','),
    ).matches(proxy),
  ).toBe(false);
  expect(parseLabelSelector(['none', ...MANY.slice(0, 20).map((at) => `l${at}!=w`)].join(',')).matches(proxy)).toBe(false);
});

test('a label selector with many values does not compare each of them', () => {
  const includes = jest.spyOn(Array.prototype, 'includes');
  const selector = parseLabelSelector(`a notin (${MANY.map((at) => `v${at}`).join(',')})`);
  includes.mockClear();
  expect([selector.matches({ a: 'v1899' }), selector.matches({ a: 'w' })]).toEqual([false, true]);
  expect(includes).not.toHaveBeenCalled();
  includes.mockRestore();
});

test('a field selector with many requirements reads each field once', () => {
  const { proxy, looks } = counted({ 'metadata.name': 'x' });
  const selector = parseFieldSelector(MANY.map((at) => `metadata.name!=v${at}`).join(','));
  expect(selector.matches(proxy)).toBe(true);
  expect(looks.count).toBeLessThan(10);
});

test('a selector with more parts than anybody needs is refused, however it is put together', () => {
  const tooLong = (limit: number) => `the selector is too long: it may have at most ${limit} `;
  for (const part of ['a', 'a=b', '!a', 'a in (b,c)', 'a>1']) {
    expect(() => parseLabelSelector(Array(100_000).fill(part).join(','))).toThrow(tooLong(8000));
  }
  expect(() => parseLabelSelector(`a in (${','.repeat(100_000)})`)).toThrow(tooLong(8000));
  expect(() => parseFieldSelector(Array(100_000).fill('a=b').join(','))).toThrow(tooLong(2000));
  expect(() => parseShardSelector(Array(1000).fill("shardRange(object.metadata.uid, '0x0', '0x1')").join('||'))).toThrow(tooLong(4000));
});

test('long label selectors match like their requirements one by one', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd');
  const value = fc.constantFrom('', 'x', 'y', '1', '5', '9');
  const values = fc.array(value, { minLength: 1, maxLength: 3 });
  const requirement = fc.oneof(
    key,
    key.map((name) => `!${name}`),
    fc.tuple(key, fc.constantFrom('=', '==', '!='), value).map((parts) => parts.join('')),
    fc.tuple(key, fc.constantFrom('>', '<'), fc.constantFrom('1', '5', '9')).map((parts) => parts.join('')),
    fc.tuple(key, fc.constantFrom('in', 'notin'), values).map(([name, operator, list]) => `${name} ${operator} (${list.join(',')})`),
  );
  // Requirements that are always met make any selector a long one.
  const padding = Array.from({ length: 20 }, (_, at) => `!pad${at}`);
  const labels = fc.option(fc.dictionary(key, value), { nil: undefined });
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 4 }), labels, (parts, object) => {
      const selector = parseLabelSelector([...parts, ...padding].join(','));
      expect(selector.matches(object)).toBe(selector.requirements.every((each) => each.matches(object)));
    }),
    { numRuns: 2000 },
  );
});

test('field selectors match like their terms one by one', () => {
  const field = fc.constantFrom('a', 'b', 'constructor');
  const term = fc.record({ field, operator: fc.constantFrom('=', '==', '!='), value: fc.constantFrom('', 'x', 'y') });
  fc.assert(
    fc.property(fc.array(term, { maxLength: 5 }), fc.dictionary(field, fc.constantFrom('', 'x', 'y')), (terms, fields) => {
      const selector = parseFieldSelector(terms.map((each) => each.field + each.operator + each.value).join(','));
      const valueOf = (name: string) => (Object.hasOwn(fields, name) ? fields[name] : '');
      const expected = terms.every(({ field: name, operator, value }) => (valueOf(name) === value) === (operator !== '!='));
      expect(selector.matches(fields)).toBe(expected);
    }),
  );
});
