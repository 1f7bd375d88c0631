/** Parsed JSON, or the text itself if it is not JSON (a stream, plain text). */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
