import { describe, expect, it } from '@jest/globals';
import { Query } from '../../../../endpoints/request-info/query.js';
import { readLockWish } from './lock-wish.js';

const read = (query: string, body = '') => readLockWish(new Query(query), Buffer.from(body));
const INFO = JSON.stringify({ ID: '1f', Who: 'me@host', Operation: 'OperationTypeApply' });

describe('a wish for a lock', () => {
  it.each([
    ['holder=me', '', { holder: 'me', seconds: 60, wait: 0, info: undefined }],
    ['holder=me&duration=1m30.5s&wait=10s', '', { holder: 'me', seconds: 91, wait: 10_000, info: undefined }],
    ['holder=me&wait=1h', '', { holder: 'me', seconds: 60, wait: 30_000, info: undefined }],
    ['', '', { holder: undefined, seconds: 60, wait: 0, info: undefined }],
    ['', INFO, { holder: 'me@host_1f', seconds: 2147483647, wait: 0, info: INFO }],
    ['duration=24h', '{"ID":"1f"}', { holder: '1f', seconds: 86_400, wait: 0, info: '{"ID":"1f"}' }],
  ])('%s %s', (query, body, wish) => expect(read(query, body)).toEqual(wish));

  it.each([
    ['holder=', ''],
    [`holder=${'x'.repeat(1025)}`, ''],
    ['holder=me&duration=soon', ''],
    ['holder=me&duration=0s', ''],
    ['holder=me&duration=-5s', ''],
    ['holder=me&duration=600000h', ''],
    ['holder=me&wait=-1s', ''],
    ['holder=me', 'text'],
    ['', '{"Who":"me"}'],
    ['', 'null'],
  ])('is not %s %s', (query, body) => expect(() => read(query, body)).toThrow(expect.objectContaining({ code: 400 })));

  it('is not a large body', () => expect(() => read('', 'x'.repeat(8193))).toThrow(expect.objectContaining({ code: 413 })));
});
