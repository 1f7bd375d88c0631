import { expect, test } from '@jest/globals';
import { forbidden, notFound } from '../../apimachinery/errors/status-errors.js';
import { eventDefinition } from '../../apis/core/event/event.resource.js';
import type { LeaseTerm } from '../../apis/history/lease-term/lease-term.schema.js';
import { namespaceNotFound, namespaceTerminating } from '../../registry/errors/interpret-storage-error.js';
import { LapseEvents, signatureHeaders } from './lapse-destinations.js';

const EVENTS = { group: '', resource: 'events' };
const TERM: LeaseTerm = {
  metadata: { name: 'a.1', namespace: 'ns' },
  spec: { leaseName: 'a', leaseUID: 'u', holder: 'h', fencingToken: '1', from: '2026-01-02T03:04:05.000000Z' },
  status: { phase: 'Held', lapsed: true, lapsedAt: '2026-01-02T03:04:20.000000Z', lapses: 1 },
};

const tell = (error: Error) => {
  const fails = () => Promise.reject(error);
  return new LapseEvents({ definition: eventDefinition, create: fails, update: fails }).tell('a.1', TERM);
};

test.each([namespaceNotFound('ns'), namespaceTerminating(EVENTS, 'a', 'ns'), notFound(EVENTS, 'a')])(
  'nobody is told in a namespace that is gone: %s',
  async (error) => {
    await expect(tell(error)).resolves.toBeUndefined();
  },
);

test('an event that exceeds a quota is tried again', async () => {
  await expect(tell(forbidden(EVENTS, 'a', 'exceeded quota: 10 objects'))).rejects.toThrow('exceeded quota');
});

test('the signature is that of the Standard Webhooks specification', () => {
  // the example of the reference libraries
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  expect(signatureHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}', secret)).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});
