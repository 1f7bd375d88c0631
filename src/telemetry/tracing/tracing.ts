import type { Attributes, Context } from '@opentelemetry/api';
import type { IncomingHttpHeaders } from 'node:http';

/** The parent of a span; passed along with work that runs elsewhere. */
export type TraceContext = Context;
export type TraceAttributes = Attributes;

/** The span of a request. */
export interface RequestTrace {
  /** Runs work in the request's span; steps that it starts later belong to the span too. */
  run(work: () => void): void;
  /** `failed`: because of a server error. */
  end(attributes: TraceAttributes, failed: boolean): void;
}

export interface StepOptions {
  /** Parent to use instead of the current span. */
  readonly parent?: TraceContext | undefined;
  /** Other spans that the step works for. */
  readonly links?: readonly TraceContext[];
}

/**
 * Creates OpenTelemetry spans. Without tracing this object is undefined, and callers only test for that. The implementation and its library
 * are loaded only if tracing is on.
 */
export interface Tracing {
  /** Starts the span of a request, which continues the trace in its `traceparent` header. */
  request(name: string, headers: IncomingHttpHeaders, attributes: TraceAttributes): RequestTrace;
  /** The current span; undefined outside a recorded request. */
  current(): TraceContext | undefined;
  /** Runs in a child span; without a parent it just runs. */
  step<T>(name: string, attributes: TraceAttributes, work: () => Promise<T>, options?: StepOptions): Promise<T>;
  /** Exports the remaining spans. */
  close(): Promise<void>;
}

/** Injection token; the value is undefined if tracing is off. */
export const TRACING = Symbol('Tracing');
