import { StringDecoder } from 'node:string_decoder';

/**
 * Yields the lines of a stream of UTF-8 text without their ends, which are \n or \r\n. node:readline also ends a line at U+2028 and U+2029, which
 * JSON has within strings.
 */
export async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  const begun: string[] = [];
  for await (const chunk of stream) {
    const [first = '', ...others] = decoder.write(chunk).split('\n');
    begun.push(first);
    for (const next of others) {
      yield withoutReturn(begun.join(''));
      begun.splice(0, begun.length, next);
    }
  }
  const last = begun.join('') + decoder.end();
  if (last !== '') yield withoutReturn(last);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
