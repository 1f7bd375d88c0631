import { expect, it } from '@jest/globals';
import { kubeObjectIn } from './kube-object.js';

const LEASE = { metadata: { name: 'a', resourceVersion: '5' }, spec: { holderIdentity: 'h' }, other: null };

it.each([{}, LEASE, { kind: 'LeaseList', metadata: { continue: '' }, items: [LEASE, {}] }, { type: 'ADDED', object: LEASE }])(
  'reads %j',
  (sent) => {
    expect(kubeObjectIn(JSON.stringify(sent))).toEqual(sent);
  },
);

it('takes null for nothing, as Go writes an empty list', () => {
  expect(kubeObjectIn('{"metadata":null,"items":null,"spec":null,"status":null,"object":null}')).toEqual({});
  expect(kubeObjectIn('{"items":[{"metadata":null}]}')).toEqual({ items: [{}] });
});

it.each([
  ...['', 'ok', '5', 'null', '[]', '"x"', '{"items":['],
  ...[
    '{"items":{}}',
    '{"items":[null]}',
    '{"items":[5]}',
    '{"items":[{"metadata":[]}]}',
    '{"items":[{"spec":"x"}]}',
    '{"spec":{"holderIdentity":5}}',
  ],
  ...[
    '{"metadata":5}',
    '{"metadata":{"continue":7}}',
    '{"metadata":{"name":{}}}',
    '{"message":{}}',
    '{"object":5}',
    '{"object":{"metadata":1}}',
  ],
])('takes %s for no object', (text) => {
  expect(kubeObjectIn(text)).toBeUndefined();
});
