export interface HealthLine {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** The checks of `/readyz?verbose`: `[+]ping ok`, `[-]database failed: reason withheld`. */
export function parseHealth(text: string): HealthLine[] {
  return text.split('\n').flatMap((line) => {
    const [, sign, check, detail] = /^\[([+-])\]([\w./-]+) ?(.*)$/.exec(line) ?? [];
    return check === undefined ? [] : [{ check, ok: sign === '+', detail: detail ?? '' }];
  });
}
