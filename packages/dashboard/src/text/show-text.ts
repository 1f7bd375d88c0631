/** Longer than any name, which have 253 characters at most. */
const LONGEST = 256;

/** Control characters, direction marks, unusual spaces and zero-width characters: with them, names look like other names. Emoji of several parts do not. */
const INVISIBLE =
  /(?!(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})|(?<=\p{Emoji})\ufe0f)(?:\p{C}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point})/gu;

/** Untrusted text for display: invisible characters are spelled out, and of long texts the middle is left out. */
export function showText(text: unknown, longest = LONGEST): string {
  const whole = typeof text === 'string' ? text : String(text);
  return elided(whole, longest).replace(INVISIBLE, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/** At most `longest` UTF-16 units; no character is cut in two. */
function elided(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const [start, end] = [Math.ceil((longest - 1) / 2), Math.floor((longest - 1) / 2)];
  return `${text.slice(0, start)}…${text.slice(text.length - end)}`.replace(/\p{Cs}/gu, '');
}

/** A message of a server or a program as a sentence, so that another can follow it. An address or a command at its beginning stays. */
export function asSentence(message: string): string {
  const text = message.trim();
  const begun = /^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return text === '' || /[.!?…]$/.test(text) ? begun : `${begun}.`;
}

/** `1 lease`, `10,000 leases`. */
export function showCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
