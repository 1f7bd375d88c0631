/** Control characters, line ends, and characters that change the direction of text or are not visible. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Text that came from a server, such as a holder, with what could move the cursor, colour a terminal or forge a row spelt out: an escape
 * character becomes `\u{1b}`.
 */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
