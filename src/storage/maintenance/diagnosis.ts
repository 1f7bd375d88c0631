/** One thing that was looked at. `problem`: the server does not work right; `warning`: it works, but something is lost or slow some day. */
export interface Diagnosis {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly detail: string;
}
