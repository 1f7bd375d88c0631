import type { AuditRecorder } from './audit-recorder.js';
import { type Fail, type Filter, goOn } from './filter.js';

/** Begins the audit record, if the policy asks for one: 500 if it has to be stored and cannot. */
export function withAudit(recorder: AuditRecorder, fail: Fail): Filter {
  return (next) => (request) => goOn(request, recorder.begin(request), () => next(request), fail);
}
