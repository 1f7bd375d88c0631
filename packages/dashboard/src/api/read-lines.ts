/** A longer line cannot be an event of a watch: objects are smaller. */
const MAX_LINE = 16 * 1024 * 1024;

/** The lines of a body as they arrive, those of one chunk together. Throws if a line exceeds the limit. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE) throw new Error('a line of the answer is too long');
      const full = lines.filter((line) => line !== '');
      if (full.length > 0) yield full;
    }
    if (rest.trim() !== '') yield [rest];
  } finally {
    // A caller that stops reading needs no more of the body.
    await reader.cancel().catch(() => undefined);
  }
}
