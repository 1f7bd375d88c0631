/** Objects as parsed from JSON. All fields are optional: the page checks only that a response is JSON. */
interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsV1?: unknown;
}

export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

export interface Lease extends KubernetesObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
    readonly strategy?: string;
    readonly preferredHolder?: string;
  };
}

export interface LeaseCandidate extends KubernetesObject {
  readonly spec?: {
    readonly leaseName?: string;
    readonly pingTime?: string;
    readonly renewTime?: string;
    readonly binaryVersion?: string;
    readonly emulationVersion?: string;
    readonly strategy?: string;
    /** v1alpha1 */
    readonly preferredStrategies?: readonly string[];
  };
}

/** Served by coordination-apiserver only (history.coordination-apiserver.dev/v1). */
export interface RefusedRequest extends KubernetesObject {
  readonly spec?: {
    readonly objectName?: string;
    readonly resource?: string;
    readonly verb?: string;
    readonly user?: string;
    readonly userAgent?: string;
  };
  readonly status?: {
    readonly code?: number;
    readonly cause?: string;
    readonly field?: string;
    readonly message?: string;
    readonly remedy?: string;
    readonly waiting?: boolean;
    readonly count?: number;
    readonly lastTime?: string;
    readonly server?: string;
  };
}

/** The same. */
export interface LeaseTerm extends KubernetesObject {
  readonly spec?: {
    readonly leaseName?: string;
    readonly leaseUID?: string;
    readonly holder?: string;
    readonly fencingToken?: string;
    readonly from?: string;
    readonly leaseDurationSeconds?: number;
  };
  readonly status?: {
    readonly until?: string;
    readonly reason?: string;
    readonly lastRenewTime?: string;
    readonly lapsed?: boolean;
    readonly lapsedAt?: string;
    readonly lapses?: number;
  };
}

export interface CoreEvent extends KubernetesObject {
  readonly reason?: string;
  readonly message?: string;
  readonly type?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
}

export interface ObjectList<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[];
}

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}
