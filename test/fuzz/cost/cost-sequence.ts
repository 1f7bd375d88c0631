/** What a step sends; its kind determines the meaning of `size` and `target` (http2-steps.ts, http1-steps.ts). */
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

/** One kind of input, sent `times` times. */
export interface Step {
  readonly kind: StepKind;
  readonly times: number;
  readonly size: number;
  readonly target: number;
}

/** What a hostile client sends on each of several concurrent connections. */
export interface CostSequence {
  readonly protocol: 'h2' | 'http/1.1';
  readonly connections: number;
  /** The initial window of each response, over HTTP/2. */
  readonly initialWindow: number;
  /** Whether the client reads anything once the steps have begun. */
  readonly reads: boolean;
  readonly steps: readonly Step[];
}
