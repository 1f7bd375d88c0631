/** Whether a text has more than `limit` bytes in UTF-8: lengths of names, labels and annotations are bytes. */
export function longerThan(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}
