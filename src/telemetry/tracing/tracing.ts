import type { IncomingHttpHeaders } from 'node:http';
import type { Attributes, Context } from '@opentelemetry/api';
import { parse } from 'yaml';
import { StartError } from '../../settings/start-error.js';

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

/** Where traces are sent, and how many. */
export interface TracingConfig {
  readonly url: string;
  /** From 0 to 1. */
  readonly ratio: number;
}

const FLAG = '--tracing-config-file';
const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.k8s.io/${version}`);
const KEYS = new Set(['apiVersion', 'kind', 'endpoint', 'samplingRatePerMillion']);
const MILLION = 1_000_000;

/**
 * Reads upstream's TracingConfiguration. The endpoint accepts OTLP over HTTP (upstream: over gRPC): `host:port`, or a URL. Throws
 * StartError.
 */
export function parseTracingConfig(text: string): TracingConfig {
  const content = read(text);
  if (content['kind'] !== 'TracingConfiguration' || !VERSIONS.includes(String(content['apiVersion']))) {
    throw new StartError(`${FLAG} must be a TracingConfiguration of apiserver.config.k8s.io/v1`);
  }
  const unknown = Object.keys(content).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw new StartError(`${FLAG} has an unknown field "${unknown}"`);
  const { samplingRatePerMillion: rate = 0, endpoint = 'localhost:4318' } = content;
  if (typeof rate !== 'number' || !Number.isInteger(rate) || rate < 0 || rate > MILLION) {
    throw new StartError(`${FLAG}: samplingRatePerMillion must be a whole number between 0 and ${MILLION}`);
  }
  return { url: urlOf(endpoint), ratio: rate / MILLION };
}

function read(text: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw new StartError(`${FLAG} is not YAML: ${(error as Error).message.split('\n')[0]}`);
  }
  if (typeof content === 'object' && content !== null) return content as Record<string, unknown>;
  throw new StartError(`${FLAG} must be a TracingConfiguration of apiserver.config.k8s.io/v1`);
}

function urlOf(endpoint: unknown): string {
  const url = typeof endpoint === 'string' && endpoint.includes('://') ? endpoint : `http://${String(endpoint)}`;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new StartError(`${FLAG}: endpoint must be host:port, or an http or https URL`);
  return parsed.pathname === '/' ? new URL('/v1/traces', parsed).href : url;
}
