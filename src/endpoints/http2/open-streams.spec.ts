import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Http2Response } from './http2-response.js';
import { OpenStreams } from './open-streams.js';

const response = (stream: number) => ({ request: { stream } }) as Http2Response;

describe('OpenStreams', () => {
  it('holds the streams that were added and not deleted', () => {
    const steps = fc.array(fc.oneof(fc.constant('add' as const), fc.nat(60)), { maxLength: 100 });
    fc.assert(
      fc.property(steps, (taken) => {
        const streams = new OpenStreams();
        const expected = new Map<number, Http2Response>();
        let next = 1;
        for (const step of taken) {
          if (step === 'add') {
            const added = response(next);
            next += 2;
            expected.set(added.request.stream, added);
            streams.add(added);
          } else {
            expected.delete(step);
            streams.delete(step);
          }
        }
        expect(streams.size).toBe(expected.size);
        expect(streams.all()).toEqual([...expected.values()]);
        for (let stream = 0; stream <= next; stream++) expect(streams.get(stream)).toBe(expected.get(stream));
      }),
    );
  });
});
