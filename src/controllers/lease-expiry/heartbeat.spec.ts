import { expect, test } from '@jest/globals';
import { isHeartbeat } from './heartbeat.js';

test.each([
  ['kube-node-lease', 'node-7', 'node-7', true],
  ['default', 'workers-a', 'a', true],
  ['default', 'workers.host-2', 'host-2', true],
  ['kube-system', 'apiserver-abc', 'apiserver-abc_0e1f', true],
  ['kube-system', 'kube-scheduler', 'control-1_0e1f', false],
  ['default', 'scheduler', 'scheduler_0e1f', false],
  ['default', 'billing', 'billing-7c9', false],
  ['default', 'data', 'a', false],
  ['default', 'free', '', false],
])('%s/%s held by %p is a heartbeat: %p', (namespace, name, holder, expected) => {
  expect(isHeartbeat(namespace, name, holder)).toBe(expected);
});
