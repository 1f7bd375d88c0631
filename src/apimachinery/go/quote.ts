/** Maximum number of characters that a message shows of one value. The longest that the recordings show has a third of this. */
const SHOWN_CHARACTERS = 4096;

/** The beginning of a long text, for a message; a short one as it is. */
export function shown(text: string, characters = SHOWN_CHARACTERS): string {
  if (text.length <= characters) return text;
  // Of a surrogate pair, neither half.
  const end = /[\ud800-\udbff]/.test(text.charAt(characters - 1)) ? characters - 1 : characters;
  return `${text.slice(0, end)}…`;
}

/**
 * Go's strconv.Quote: printable runes are kept, all others escaped. A byte that is not UTF-8 may be represented in the text by the lone
 * surrogate U+DC00 plus the byte, and is shown as that byte. Of a long text, the beginning is quoted.
 */
export function quote(text: string): string {
  return `"${shown(text).replace(NOT_PLAIN, quoteRune)}"`;
}

/** All characters except printable ASCII without need of escaping. */
const NOT_PLAIN = /[^ !#-[\]-~]/gu;

const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '"': '\\"',
    '\\': '\\\\',
    '\x07': '\\a',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
  }),
);

function quoteRune(char: string): string {
  const escaped = ESCAPES.get(char);
  if (escaped !== undefined) return escaped;
  if (isPrintable(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code & 0xff).toString(16)}`;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrintable(char: string): boolean {
  return char === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
}
