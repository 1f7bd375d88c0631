/** What one run of a load has shown, by name with its unit: `renewals/s`, `p99 ms`. */
export interface Figures {
  readonly [figure: string]: number;
}
