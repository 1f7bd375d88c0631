/** Whether a text has more than `limit` bytes in UTF-8, the unit of limits on names, labels and annotations. */
export function longerThan(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}
