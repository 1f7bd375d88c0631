import type { Tracing } from '../../telemetry/tracing/tracing.js';
import type { Filter } from './filter.js';

/** Runs the rest in a span for the request, which ends when the response is closed. */
export function withTracing(tracing: Tracing): Filter {
  return (next) => (request) => {
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
        headersSent ? { 'http.response.status_code': statusCode, 'http.response.body.size': request.progress.sentBytes } : {},
        statusCode >= 500,
      );
    });
    trace.run(() => next(request));
  };
}
