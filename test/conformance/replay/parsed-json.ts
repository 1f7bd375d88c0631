/** JSON, or the text itself where it is none (a stream, a plain answer). */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
