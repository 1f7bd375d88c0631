/** In characters; no object is that large. */
const MAX_LINE = 4 * 1024 * 1024;

/** The lines of a stream of UTF-8, without empty ones. Throws for one that does not end. */
export async function* textLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) throw new Error(`a line is longer than ${MAX_LINE} characters`);
    yield* lines.filter((line) => line !== '');
  }
  if (rest !== '') yield rest;
}
