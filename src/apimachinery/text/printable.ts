/** Control characters, line ends, and characters that change the direction of text or are not visible; but not what joins two emoji into one. */
const UNPRINTABLE =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}](?<!\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?\u200d(?=\p{Extended_Pictographic}))/gu;

/**
 * Text of a client, such as a holder, with what could move the cursor, colour a terminal or forge a line spelt out: an escape character becomes
 * `\u{1b}`. Everything that prints, logs or answers such a text as text uses this; packages/lease-lock is bundled with it.
 */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Like `printable`, for text of several lines, such as a stack. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** JSON in which the same characters are escaped, so that it means the same; line ends, which no string of JSON contains, are kept. */
export function printableJson(json: string): string {
  return json.replaceAll(UNPRINTABLE, (character) => (character === '\n' ? character : escaped(character)));
}

/** YAML in which the same characters are escaped; scalars that contain them must be in double quotes (`needsEscapes`). */
export function printableYaml(yaml: string): string {
  return yaml.replaceAll(UNPRINTABLE, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    if (character === '\n') return character;
    return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
  });
}

/** Whether a text, of one line or several, has characters that would be escaped. */
export function needsEscapes(text: string): boolean {
  return printableLines(text) !== text;
}

/** In the escapes of JSON: two for what lies beyond the first plane. */
function escaped(character: string): string {
  return [...Array(character.length).keys()].map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}
