/** `1 lease`, `10,000 leases`. */
export function showCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
