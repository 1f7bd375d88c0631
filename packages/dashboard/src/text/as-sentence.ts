/** A message of a server or a program as a sentence, so that another can follow it. An address or a command at its beginning stays. */
export function asSentence(message: string): string {
  const text = message.trim();
  const begun = /^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return text === '' || /[.!?…]$/.test(text) ? begun : `${begun}.`;
}
