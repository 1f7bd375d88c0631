/** The results of one run of a load, by name with unit: `renewals/s`, `p99 ms`. */
export interface Figures {
  readonly [figure: string]: number;
}
