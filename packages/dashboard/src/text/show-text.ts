const LONGEST = 200;

/** Control characters, direction marks, unusual spaces and zero-width characters: with them, names look like other names. */
const INVISIBLE = /\p{C}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}/gu;

/** Untrusted text for display: invisible characters are spelled out, and long texts are cut off. */
export function showText(text: unknown, longest = LONGEST): string {
  const whole = typeof text === 'string' ? text : String(text);
  const cut = whole.length > longest ? `${whole.slice(0, longest)}…` : whole;
  return cut.replace(INVISIBLE, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
