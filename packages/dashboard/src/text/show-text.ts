const LONGEST = 200;

/** Controls, marks of direction, spaces of other kinds, and what has no width: names with them look like other names. */
const INVISIBLE = /\p{C}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}/gu;

/** A text of anybody's as it is shown: what cannot be seen is spelt out, and what is too long is cut off. */
export function showText(text: unknown, longest = LONGEST): string {
  const whole = typeof text === 'string' ? text : String(text);
  const cut = whole.length > longest ? `${whole.slice(0, longest)}…` : whole;
  return cut.replace(INVISIBLE, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
