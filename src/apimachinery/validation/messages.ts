/** The result of a check that finds no errors. */
export const FINE: readonly string[] = Object.freeze([]);

/** `<rule> (e.g. 'a',  or 'b', regex used for validation is '…')` (apimachinery pkg/util/validation RegexError). */
export function regexMessage(rule: string, pattern: string, ...examples: string[]): string {
  return `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
}

/** The message for a text over its limit (apimachinery pkg/util/validation MaxLenError). */
export function tooLongMessage(limit: number, unit: 'bytes' | 'characters'): string {
  return `must be no more than ${limit} ${unit}`;
}

/** Whether a text has more than `limit` bytes in UTF-8, the unit of limits on names, labels and annotations. */
export function longerThan(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}
