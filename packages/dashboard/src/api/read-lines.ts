/** A line longer than this is no event of a watch: objects are smaller. */
const MAX_LINE = 16 * 1024 * 1024;

/** The lines of a body as they come, those of one chunk together. Throws where a line does not end. */
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
    // Whoever stops reading wants no more of it.
    await reader.cancel().catch(() => undefined);
  }
}
