/** The JSON of a response, as far as tests read it; they check the actual types. */
export interface WireObject {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly holderIdentity?: string };
  readonly status?: unknown;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly columnDefinitions?: readonly unknown[] | null;
  readonly rows?: readonly unknown[];
  readonly items?: readonly WireObject[];
}
