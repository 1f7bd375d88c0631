/** An RFC 3339 time to the second, as tables show it; JSON has the whole. */
export function withoutFraction(time: string): string {
  return time.replace(/\.\d+(?=Z|[+-]\d\d:\d\d$)/, '');
}
