/**
 * Indents compact JSON by two spaces as Go's json.Indent does; empty objects and arrays remain `{}` and `[]`. No final newline. `depth`:
 * the number of enclosing objects and arrays.
 */
export function prettyJson(json: string, depth = 0): string {
  let out = '';
  let indent = `\n${'  '.repeat(depth)}`;
  let from = 0;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (char === '"') at = endOfString(json, at);
    else if (char === ':') {
      out += `${json.slice(from, at)}: `;
      from = at + 1;
    } else if (char === ',') {
      out += `${json.slice(from, at)},${indent}`;
      from = at + 1;
    } else if (char === '{' || char === '[') {
      const closing = json[at + 1];
      if (closing === '}' || closing === ']') {
        at++;
        continue;
      }
      indent += '  ';
      out += json.slice(from, at + 1) + indent;
      from = at + 1;
    } else if (char === '}' || char === ']') {
      indent = indent.slice(0, -2);
      out += json.slice(from, at) + indent;
      from = at;
    }
  }
  return out + json.slice(from);
}

/** Index of the closing quote of the string that starts at `at`. */
function endOfString(json: string, at: number): number {
  let end = at + 1;
  while (json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  return end;
}
