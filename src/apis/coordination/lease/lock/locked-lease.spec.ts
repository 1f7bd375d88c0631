import { describe, expect, it } from '@jest/globals';
import { Query } from '../../../../endpoints/request-info/query.js';
import { parseLockOptions } from './locked-lease.js';

const read = (query: string, body = '', md5?: string) => parseLockOptions(new Query(query), Buffer.from(body), md5);
const INFO = JSON.stringify({ ID: '1f', Who: 'me@host', Operation: 'OperationTypeApply' });

describe('the options of a lock', () => {
  it.each([
    ['holder=me', '', { holder: 'me', seconds: 60, force: false, wait: 0, info: undefined }],
    ['holder=me&duration=1m30.5s&wait=10s', '', { holder: 'me', seconds: 91, force: false, wait: 10_000, info: undefined }],
    ['holder=me&priority=-7', '', { holder: 'me', seconds: 60, force: false, wait: 0, priority: -7, info: undefined }],
    ['', '', { holder: undefined, seconds: 60, force: false, wait: 0, info: undefined }],
    ['', INFO, { holder: 'me@host_1f', seconds: 2147483647, force: false, wait: 0, info: INFO }],
    ['duration=24h', '{"ID":"1f"}', { holder: '1f', seconds: 86_400, force: false, wait: 0, info: '{"ID":"1f"}' }],
  ])('%s %s', (query, body, options) => expect(read(query, body)).toEqual(options));

  it.each([
    ['holder=', ''],
    ['holder=%ff', ''],
    ['', '{"ID":"\ufffd"}'],
    ['holder=me&dryRun=All', ''],
    [`holder=${'x'.repeat(1025)}`, ''],
    ['holder=me&duration=soon', ''],
    ['holder=me&duration=0s', ''],
    ['holder=me&priority=', ''],
    ['holder=me&priority=1.5', ''],
    ['holder=me&priority=1000000001', ''],
    ['holder=me&duration=-5s', ''],
    ['holder=me&duration=600000h', ''],
    ['holder=me&wait=-1s', ''],
    ['holder=me&wait=31s', ''],
    ['holder=me', 'text'],
    ['', '{"Who":"me"}'],
    ['', 'null'],
  ])('is not %s %s', (query, body) => expect(() => read(query, body)).toThrow(expect.objectContaining({ code: 400 })));

  it.each([
    ['force=true', '', undefined, true],
    ['', '', '1B2M2Y8AsgTpgAmY7PhCfg==', true],
    ['', '', undefined, false],
    ['force=1', '', undefined, false],
    ['holder=me', '', '1B2M2Y8AsgTpgAmY7PhCfg==', false],
    ['', INFO, '9Da8Qqc2BQYnS09UIRicWA==', false],
  ])('%s %s with the Content-MD5 %s forces: %s', (query, body, md5, force) => expect(read(query, body, md5).force).toBe(force));

  it('is not a large body', () => expect(() => read('', 'x'.repeat(8193))).toThrow(expect.objectContaining({ code: 413 })));
});
