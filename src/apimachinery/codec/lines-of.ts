import { StringDecoder } from 'node:string_decoder';

/**
 * Yields the lines of a stream of UTF-8 text without their ends, which are \n or \r\n. node:readline also ends a line at U+2028 and U+2029, which
 * JSON has within strings. Throws once a line that has not ended is longer than `maxLength`.
 */
export async function* linesOf(stream: AsyncIterable<Buffer>, maxLength = Infinity): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  const begun: string[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const [first = '', ...others] = decoder.write(chunk).split('\n');
    begun.push(first);
    length += first.length;
    for (const next of others) {
      yield withoutReturn(begun.join(''));
      begun.splice(0, begun.length, next);
      length = next.length;
    }
    if (length > maxLength) throw new Error(`a line is longer than ${maxLength} characters`);
  }
  const last = begun.join('') + decoder.end();
  if (last !== '') yield withoutReturn(last);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
