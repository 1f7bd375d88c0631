/** The format of the recordings: answers of a real kube-apiserver, with run-dependent values replaced by placeholders. */
export interface Step {
  title?: string;
  method?: string;
  path?: string;
  headers?: Record<string, string | string[]>;
  body?: unknown;
  bodyBase64?: string;
  /** Fills in `@@REPEAT@@` in the body. */
  repeat?: { text: string; times: number };
  /** The requesting user; default: `admin`. */
  as?: string;
  /** Variables taken from the answer, by path. */
  capture?: Record<string, string>;
  /** Starts a watch of this name beside the steps; `collect` takes the events it received. */
  open?: string;
  collect?: string;
  count?: number;
  timeoutMs?: number;
  settleMs?: number;
  all?: boolean;
  close?: boolean;
  closed?: boolean;
  bookmarks?: 'initial';
  set?: Record<string, [string, ...(string | number)[]]>;
  check?: Record<string, [string, string, string]>;
  keep?: string[];
  ignore?: string[];
  select?: Record<string, unknown>;
  sort?: string[];
  times?: string[];
  raw?: boolean | 'masked';
  decode?: boolean;
  encode?: 'protobuf' | 'cbor';
  reduce?: string;
  layout?: boolean;
  present?: string[];
  alsoHeaders?: string[];
  sleepMs?: number;
  silent?: boolean;
  expect?: Answer;
}

export interface Answer {
  status?: number | string;
  headers?: Record<string, unknown>;
  body?: unknown;
  error?: string;
  [key: string]: unknown;
}

export interface Scenario {
  id: string;
  noNamespace?: boolean;
  steps: Step[];
}

export interface Target {
  baseUrl: string;
  identities: Record<string, { token?: string }>;
}
