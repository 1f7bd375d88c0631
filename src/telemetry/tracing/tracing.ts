import type { Attributes, Context } from '@opentelemetry/api';
import type { IncomingHttpHeaders } from 'node:http';

/** Where a span belongs: handed from whoever waits to whoever works. */
export type TraceContext = Context;
export type TraceAttributes = Attributes;

/** The span of a request. */
export interface RequestTrace {
  /** Runs work whose steps, now and later, belong to the request. */
  run(work: () => void): void;
  /** `failed`: by a fault of the server. */
  end(attributes: TraceAttributes, failed: boolean): void;
}

export interface StepOptions {
  /** Instead of what is under way. */
  readonly parent?: TraceContext | undefined;
  /** What else the step is done for. */
  readonly links?: readonly TraceContext[];
}

/**
 * Traces by OpenTelemetry. Where tracing is off there is no such object, and whoever would use it does nothing: that costs a look at an
 * undefined option. The implementation, with the library, is loaded only if it is on.
 */
export interface Tracing {
  /** Begins the span of a request, which goes on with the trace of its `traceparent` header. */
  request(name: string, headers: IncomingHttpHeaders, attributes: TraceAttributes): RequestTrace;
  /** What is under way; undefined outside of a request that is recorded. */
  current(): TraceContext | undefined;
  /** A step of what is under way; outside of that it is only done. */
  step<T>(name: string, attributes: TraceAttributes, work: () => Promise<T>, options?: StepOptions): Promise<T>;
  /** Sends what is left. */
  close(): Promise<void>;
}
