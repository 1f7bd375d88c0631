import { describe, expect, it } from '@jest/globals';
import { md5Of, parseStateBody } from './lease-states.js';

const read = (body: string | Buffer, md5?: string) => parseStateBody(Buffer.from(body), md5);
const STATE = '{"version": 4, "serial": 7, "lineage": "1f-2e", "outputs": {"x": "ü"}}';

describe('the body of a state', () => {
  it('is kept as it is, with its serial and lineage', () => {
    expect(read(STATE, md5Of(STATE))).toEqual({ data: STATE, serial: 7, lineage: '1f-2e' });
    expect(read('{}')).toEqual({ data: '{}', serial: undefined, lineage: undefined });
  });

  it.each<[string, string | Buffer]>([
    ['no JSON', 'secret'],
    ['cut off', '{"password": "secret"'],
    ['empty', ''],
    ['a list', '["secret"]'],
    ['null', 'null'],
    ['not UTF-8', Buffer.from('7b227365637265742223ff7d', 'hex')],
    ['with a serial that is no count', '{"serial": -1}'],
    ['with a serial that is a text', '{"serial": "secret"}'],
    ['with a lineage that is a number', '{"lineage": 1}'],
    ['with a lineage that cannot be stored', '{"lineage": "\\u0000secret"}'],
    ['with a long lineage', JSON.stringify({ lineage: 'x'.repeat(257) })],
  ])('is not %s, and the refusal does not quote it', (_, body) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 400, message: expect.not.stringContaining('secret') }));
  });

  it('has the sum that its sender states', () => {
    expect(() => read(STATE, md5Of('{}'))).toThrow(expect.objectContaining({ code: 400 }));
  });
});
