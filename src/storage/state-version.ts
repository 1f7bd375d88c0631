/** A version of a state of Terraform, without its content. */
export interface StateVersion {
  readonly version: number;
  readonly written: Date;
  readonly writer: string;
  readonly serial: number | null;
  readonly lineage: string | null;
  readonly bytes: number;
}

export interface StateContent {
  readonly version: number;
  readonly data: string;
}
