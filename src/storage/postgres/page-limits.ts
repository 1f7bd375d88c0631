/** How much is read at a time, so that neither memory nor the event loop feels how much there is. A page has one row at least. */
export interface PageLimits {
  readonly rows: number;
  /** Of data, more or less. */
  readonly bytes: number;
}

export const DEFAULT_PAGE: PageLimits = { rows: 1_000, bytes: 2 * 1024 * 1024 };

/**
 * Statement text: the rows of `page`, in the order `order`, whose predecessors take less than `bytes` (a parameter). `size` is what a row
 * takes; octet_length reads no value that is stored out of line.
 */
export function withinBytes(page: string, order: string, size: string, bytes: string): string {
  return `select * from (select page.*, sum(${size}) over (order by ${order}) - ${size} as bytes_before from (${page}) page) sized
      where bytes_before < ${bytes}`;
}
