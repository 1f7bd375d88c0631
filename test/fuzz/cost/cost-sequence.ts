/** What a step sends; what `size` and `target` mean depends on it (http2-steps.ts, http1-steps.ts). */
export const HTTP2_KINDS = [
  'get',
  'post',
  'repeat',
  'data',
  'stray',
  'padded',
  'settings',
  'widen-stream',
  'widen-connection',
  'cancel',
  'fault',
  'ping',
  'priority',
  'unknown',
  'continuation',
  'pause',
] as const;

export const HTTP1_KINDS = ['get', 'post', 'repeat', 'chunks', 'upgrade', 'pause'] as const;

export type StepKind = (typeof HTTP2_KINDS)[number] | (typeof HTTP1_KINDS)[number];

/** One kind of thing, sent `times` times. */
export interface Step {
  readonly kind: StepKind;
  readonly times: number;
  readonly size: number;
  readonly target: number;
}

/** What a hostile client sends on each of a few connections at a time. */
export interface CostSequence {
  readonly protocol: 'h2' | 'http/1.1';
  readonly connections: number;
  /** The window of each answer, over HTTP/2. */
  readonly initialWindow: number;
  /** Whether anything is read once the steps have begun. */
  readonly reads: boolean;
  readonly steps: readonly Step[];
}
