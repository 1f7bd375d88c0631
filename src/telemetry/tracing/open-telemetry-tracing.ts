import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import {
  type Context,
  type Span,
  type Tracer,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { RequestTrace, StepOptions, TraceAttributes, TraceContext, Tracing } from './tracing.js';

export interface TracingOptions {
  /** URL of the OTLP/HTTP collector, such as `http://localhost:4318/v1/traces`. */
  readonly url: string;
  /** Fraction of requests recorded when no sampled parent decides. */
  readonly ratio: number;
  readonly version: string;
  /** Identifies this process. */
  readonly instance: string;
}

const CLOSE_TIMEOUT_MS = 2000;
const NAME = 'coordination-apiserver';

/** Records spans and exports them in batches. Does not touch OpenTelemetry's global state. */
export class OpenTelemetryTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #contexts = new AsyncLocalStorageContextManager().enable();
  readonly #propagator = new W3CTraceContextPropagator();

  constructor({ url, ratio, version, instance }: TracingOptions) {
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': NAME, 'service.version': version, 'service.instance.id': instance }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
      spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
    });
    this.#tracer = this.#provider.getTracer(NAME, version);
  }

  request(name: string, headers: IncomingHttpHeaders, attributes: TraceAttributes): RequestTrace {
    const parent = this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    const context = trace.setSpan(parent, span);
    return {
      run: (work) => this.#contexts.with(context, work),
      end: (more, failed) => {
        span.setAttributes(more);
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  current(): TraceContext | undefined {
    const context = this.#contexts.active();
    return trace.getSpan(context)?.isRecording() ? context : undefined;
  }

  async step<T>(name: string, attributes: TraceAttributes, work: () => Promise<T>, { parent, links = [] }: StepOptions = {}): Promise<T> {
    const within = parent ?? this.current();
    if (!within) return work();
    const span = this.#tracer.startSpan(name, { attributes, links: links.flatMap(linkOf) }, within);
    try {
      return await this.#contexts.with(trace.setSpan(within, span), work);
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  async close(): Promise<void> {
    // An unreachable collector does not delay shutdown.
    const sent = this.#provider.shutdown().catch(() => undefined);
    const late = setTimeout(CLOSE_TIMEOUT_MS, undefined, { ref: false });
    await Promise.race([sent, late]);
    this.#contexts.disable();
  }
}

function linkOf(context: Context): { context: ReturnType<Span['spanContext']> }[] {
  const span = trace.getSpan(context);
  return span ? [{ context: span.spanContext() }] : [];
}

function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
}
