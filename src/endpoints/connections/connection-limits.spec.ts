import { expect, it } from '@jest/globals';
import { AddressRanges, connectionsThatFit } from './connection-limits.js';

const MIB = 1024 * 1024;

test('a small container has fewer connections, a large machine no more than are of use', () => {
  expect([64, 512, 1024, 1_000_000].map((mib) => connectionsThatFit(mib * MIB))).toEqual([1000, 2730, 5461, 10_000]);
});

it('ranges of addresses have single ones, both families, and IPv4 in the form of dual-stack sockets', () => {
  const ranges = new AddressRanges(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1']);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.7', '::ffff:192.0.2.7', '2001:db8:1::', '::1']) {
    expect([address, ranges.has(address)]).toEqual([address, true]);
  }
  for (const address of ['11.0.0.1', '::ffff:11.0.0.1', '192.0.2.8', '2001:db9::', '::2', '']) {
    expect([address, ranges.has(address)]).toEqual([address, false]);
  }
});

it.each(['', 'x', '10.0.0.0/33', '10.0.0/8', '::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', '10.0.0.0/1e1', 'localhost', '*'])(
  '%j is no range',
  (text) => {
    expect(() => new AddressRanges([text])).toThrow(`"${text}" is no address`);
  },
);
