import type { Tracing } from '../../telemetry/tracing/tracing.js';
import type { ApiRequest } from '../request/api-request.js';

/** Runs `work` in a span for the request. The span ends when the response is closed. */
export function traceRequest(tracing: Tracing, request: ApiRequest, work: () => void): void {
  const { info, method, headers, response } = request;
  const name = info.isResourceRequest ? `${info.verb} ${[info.resource, info.subresource].filter(Boolean).join('/')}` : method;
  const trace = tracing.request(name, headers, {
    'http.request.method': method,
    'url.path': request.url.path,
    'user_agent.original': request.userAgent,
    'audit-id': request.loggedAuditId,
    ...(info.namespace === '' ? {} : { 'k8s.namespace.name': info.namespace }),
  });
  response.on('close', () => {
    const { statusCode, headersSent } = response;
    trace.end(
      headersSent ? { 'http.response.status_code': statusCode, 'http.response.body.size': request.sentBytes } : {},
      statusCode >= 500,
    );
  });
  trace.run(work);
}
