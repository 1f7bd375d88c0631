import { describe, expect, it } from '@jest/globals';
import { parseShardSelector, shardHash } from './shard-selector.js';

const hex = (text: string) => {
  const { high, low } = shardHash(text);
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
};
const range = (start: string, end: string) => `shardRange(object.metadata.namespace, ${start}, ${end})`;

describe('the shard hash', () => {
  it('is FNV-1a over UTF-8', () => {
    expect(hex('')).toBe('cbf29ce484222325');
    expect(hex('a')).toBe('af63dc4c8601ec8c');
    expect(hex('default')).toBe('ebada5168620c5fe');
    expect(hex('kube-system')).toBe('df65c7bc1d82b35e');
    const reference = [...Buffer.from('grün')].reduce((h, b) => BigInt.asUintN(64, (h ^ BigInt(b)) * 0x100000001b3n), 0xcbf29ce484222325n);
    expect(BigInt(`0x${hex('grün')}`)).toBe(reference);
  });
});

describe('shard selectors', () => {
  it('select by the hash of one field, excluding the upper bound', () => {
    const from = parseShardSelector(range("'0xebada5168620c5fe'", "'0xebada5168620c5ff'"));
    expect(from.matches('', 'default')).toBe(true);
    expect(from.matches('default', 'x')).toBe(false);
    expect(parseShardSelector(range("'0x0'", "'0xebada5168620c5fe'")).matches('', 'default')).toBe(false);
    expect(parseShardSelector("shardRange(object.metadata.uid, '0x0', '0x10000000000000000')").matches('any', '')).toBe(true);
  });

  it('pad short bounds with zeros', () => {
    expect(parseShardSelector(range("'0x0'", "'0xff'")).text).toBe(range("'0x0000000000000000'", "'0x00000000000000ff'"));
  });

  it('accept every notation that CEL allows, and have a canonical text', () => {
    const expected = range("'0x0000000000000000'", "'0x8000000000000000'");
    for (const text of [
      `((${range("'0x0'", '"0x8000000000000000"')}))`,
      `\tshardRange ( object . metadata\n. namespace ,'''0x0''', r"0x8000000000000000" ) // comment`,
      range(String.raw`'\x30x0'`, String.raw`('0\u00788000000000000000')`),
      `!!${range("'0x0'", "'0x8000000000000000'")}`,
      `object.${range("'0x0'", "'0x8000000000000000'")}`,
    ]) {
      expect(parseShardSelector(text).text).toBe(expected);
    }
    expect(parseShardSelector(`${expected}||(${expected} || ${expected})`).text).toBe(`${expected} || ${expected} || ${expected}`);
  });

  it("are refused with upstream's messages", () => {
    const ok = range("'0x0'", "'0x1'");
    const refusals: Record<string, string> = {
      ' ': 'empty shard selector is not allowed; omit the parameter for unfiltered lists',
      nonsense: 'unexpected expression kind 3; expected shardRange() call or || operator',
      "{'a': 1,}": 'unexpected expression kind 6; expected shardRange() call or || operator',
      [`${ok} && ${ok} || ${ok}`]: 'unsupported function "_&&_"; only shardRange() and || are allowed',
      [`${ok} ? true : false`]: 'unsupported function "_?_:_"; only shardRange() and || are allowed',
      [`!${ok}`]: 'unsupported function "!_"; only shardRange() and || are allowed',
      'a in [b]': 'unsupported function "@in"; only shardRange() and || are allowed',
      'shardRange()': 'shardRange() requires exactly 3 arguments, got 0',
      "shardRange('x', '0x0', '0x1')": 'shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 5',
      "shardRange(object.metadata.name, '0x0', '0x1')":
        'unsupported field path "object.metadata.name"; supported: object.metadata.uid, object.metadata.namespace',
      [range('0', '1')]: 'hexStart must be a string literal, got int64',
      [range("'0x0'", '5u')]: 'hexEnd must be a string literal, got uint64',
      [range("'0x0'", '1.5')]: 'hexEnd must be a string literal, got float64',
      [range("'0x0'", "b'0x1'")]: 'hexEnd must be a string literal, got []uint8',
      [range("'0x0'", "'0x8' + '0'")]: "hexEnd must be a string literal (e.g. '0xff'), got expression kind 1",
      [range("'0'", "'0x1'")]: `hexStart must have '0x' prefix, got "0"`,
      [range("'0x'", "'0x1'")]: "hexStart: hex value is required after '0x'",
      [range("'0x0'", "'0xA'")]: 'hexEnd: invalid hex character "A" in "0xA"',
      [range("'0x0'", "'0x20000000000000000'")]:
        `hexEnd: 17-digit hex value must be '0x10000000000000000' (2^64), got "0x20000000000000000"`,
      [range("'0x0'", "'0x000000000000000000'")]: 'hexEnd: hex value too long (18 chars, max 17): "000000000000000000"',
      [range("'0x1'", "'0x1'")]: 'shard range start 0x0000000000000001 must be less than end 0x0000000000000001',
      [`${ok} || shardRange(object.metadata.uid, '0x0', '0x1')`]:
        'all shard ranges must use the same field, got "object.metadata.namespace" and "object.metadata.uid"',
    };
    for (const [text, message] of Object.entries(refusals)) {
      expect(() => parseShardSelector(text)).toThrow(expect.objectContaining({ message: `invalid shard selector: ${message}`, code: 400 }));
    }
  });

  it('that are not CEL are syntax errors, at any depth', () => {
    const ok = range("'0x0'", "'0x1'");
    const broken = [
      '(',
      ')',
      '||',
      `${ok} ||`,
      `|| ${ok}`,
      `${ok} | ${ok}`,
      `${ok} or ${ok}`,
      `${ok};`,
      '🙂',
      "'open",
      range("'\\q'", "'0x1'"),
    ];
    for (const text of [...broken, '('.repeat(3000), `${'['.repeat(300)}`, `a${'.a'.repeat(1500)}.`, '!'.repeat(3000)]) {
      expect(() => parseShardSelector(text)).toThrow(/^invalid shard selector: CEL parse error: /);
    }
  });

  it('may have hundreds of ranges', () => {
    const ok = range("'0x0'", "'0x1'");
    expect(parseShardSelector(Array<string>(300).fill(ok).join('||')).matches('', '')).toBe(false);
  });
});
