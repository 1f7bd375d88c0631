import type { Logger } from 'pino';
import type { AuthenticatedRequest } from '../request/api-request.js';
import { DeniedRequestLog } from './audit-recorder.js';

const request = {
  method: 'PUT',
  info: { verb: 'update' },
  url: { path: '/apis/coordination.k8s.io/v1/namespaces/default/leases/one' },
  raw: { socket: { remoteAddress: '10.0.0.7' } },
  loggedAuditId: 'id',
  user: { name: 'alice' },
} as unknown as AuthenticatedRequest;

test('a line names who was denied what; of more than twenty a second, the number is logged with the next', () => {
  const lines: [object, string][] = [];
  const logger = { info: (fields: object, message: string) => void lines.push([fields, message]) } as unknown as Logger;
  let now = 5000;
  const log = new DeniedRequestLog(logger, () => now);
  for (let i = 0; i < 23; i++) log.forbidden(request, 'no role');
  expect(lines).toHaveLength(20);
  const asked = { verb: 'update', method: 'PUT', path: request.url.path, from: '10.0.0.7', auditId: 'id' };
  expect(lines[0]).toEqual([{ code: 403, user: 'alice', ...asked, reason: 'no role' }, 'forbidden request rejected']);
  now += 1000;
  log.unauthenticated(request, undefined);
  expect(lines.slice(20)).toEqual([
    [{ requests: 3 }, 'more requests were rejected'],
    [{ code: 401, ...asked }, 'unauthenticated request rejected'],
  ]);
});
