/** The option structs of meta.k8s.io/v1 as requests carry them; absent means not given. Parsed by the files beside this one. */
export interface WriteOptions {
  /** True for dryRun=All: everything runs, nothing is kept. */
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
}

export type CreateOptions = WriteOptions;
export type UpdateOptions = WriteOptions;

export interface PatchOptions extends WriteOptions {
  /** Apply only: take over fields that others own. */
  readonly force: boolean;
}

export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  /** A precondition, compared as text. */
  readonly resourceVersion?: string;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: PropagationPolicy;
}

export interface GetOptions {
  readonly resourceVersion: string;
}

/** List, watch and deletecollection parameters, defaulted and validated but with selectors and versions still as text. */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly shardSelector: string;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan';
  /** Seconds; undefined or 0: the server's default. Negative: ends at once. */
  readonly timeoutSeconds?: number;
  /** Negative or 0: no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents?: boolean;
}
