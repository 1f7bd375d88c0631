import { expect, test } from '@jest/globals';
import { formatRoute, parseRoute } from './route.js';

test.each([
  '#/leases',
  '#/leases?ns=jobs&labels=app%3Dx%2C%21y&q=a+b&state=due&sort=-renewed',
  '#/leases/kube-system/scheduler',
  '#/leases/kube-system/a%2Fb%3Fc?tab=yaml',
  '#/elections?ns=kube-system',
  '#/timeline',
  '#/server',
])('%s is read and written', (hash) => {
  expect(formatRoute(parseRoute(hash))).toBe(hash);
});

test.each(['', '#', '#/', '#/nowhere', '#/leases?sort=__proto__&state=constructor&tab=x', '#/leases/only-a-namespace'])(
  '%j is the list of leases',
  (hash) => {
    expect(formatRoute(parseRoute(hash))).toBe('#/leases');
  },
);

test('an address that is not a valid URI component is used unchanged', () => {
  expect(parseRoute('#/leases/%E0%A4/x')).toMatchObject({ page: 'lease', namespace: '%E0%A4', name: 'x' });
});
