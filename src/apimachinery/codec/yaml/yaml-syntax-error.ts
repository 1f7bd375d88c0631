import type { YAMLParseError } from 'yaml';

const CANNOT_START = 'found character that cannot start any token';

/**
 * Returns the text of a syntax error as in libyaml, which clients of Go servers know. libyaml's scanner counts lines from 1 and its parser
 * from 0, and both omit line 0. The position is that of our parser and may be off by one line in rare cases.
 */
export function syntaxErrorText(error: YAMLParseError, text: string): string {
  const describe = DESCRIPTIONS[error.code];
  return describe === undefined ? parser('did not find expected key', text, error.pos[0]) : describe(error, text, error.pos[0]);
}

type Describe = (error: YAMLParseError, text: string, at: number) => string;

const DESCRIPTIONS: Readonly<Partial<Record<YAMLParseError['code'], Describe>>> = {
  BAD_SCALAR_START: (_, text, at) => scanner(CANNOT_START, text, at),
  TAB_AS_INDENT: (_, text, at) => scanner(CANNOT_START, text, at),
  BAD_ALIAS: (_, text, at) => scanner('did not find expected alphabetic or numeric character', text, at),
  BAD_DQ_ESCAPE: ({ message }, text, at) =>
    scanner(/\\[xuU]/.test(message) ? 'did not find expected hexdecimal number' : 'found unknown escape character', text, at),
  BLOCK_AS_IMPLICIT_KEY: (_, text, at) => mappingValue(text, at),
  MULTILINE_IMPLICIT_KEY: (_, text, at) => mappingValue(text, at),
  MISSING_CHAR: missing,
  BAD_INDENT: ({ message }, text, at) => (/^Flow/.test(message) ? unclosedFlow(text, at) : parser('did not find expected key', text, at)),
  RESOURCE_EXHAUSTION: (_, text) => (openBracket(text) === undefined ? 'exceeded max depth' : unclosedFlow(text, text.length)),
};

function missing(error: YAMLParseError, text: string, at: number): string {
  if (/^Flow/.test(error.message)) return unclosedFlow(text, at);
  if (/quote/.test(error.message)) return scanner('found unexpected end of stream', text, text.length);
  const next = text.indexOf('\n', at);
  const rest = next < 0 ? '' : text.slice(next).trimStart();
  const line = rest === '' ? lineCount(text) + 1 : lineOf(text, text.length - rest.length) + 1;
  return `line ${line}: could not find expected ':'`;
}

function mappingValue(text: string, at: number): string {
  if (text.trimStart().startsWith(':')) return 'did not find expected key';
  const colon = /:(?=\s|$)/.exec(text.slice(at));
  return scanner('mapping values are not allowed in this context', text, colon === null ? at : at + colon.index);
}

/** The error of a flow collection that ends too early: inside an item, or where an item should start. */
function unclosedFlow(text: string, at: number): string {
  const before = text.slice(0, at).trimEnd();
  const line = text.slice(at).trim() === '' ? lineCount(text) : lineOf(text, at);
  if (/[[{,:]$/.test(before)) return withLine('did not find expected node content', line);
  return withLine(`did not find expected ',' or '${openBracket(before) === '[' ? ']' : '}'}'`, line);
}

/** The innermost bracket that is still open at the end of the text; quotes are ignored. */
function openBracket(text: string): string | undefined {
  const open: string[] = [];
  for (const char of text) {
    if (char === '[' || char === '{') open.push(char);
    else if (char === ']' || char === '}') open.pop();
  }
  return open.at(-1);
}

function scanner(problem: string, text: string, at: number): string {
  const line = lineOf(text, at);
  return withLine(problem, line === 0 ? 0 : line + 1);
}

function parser(problem: string, text: string, at: number): string {
  return withLine(problem, lineOf(text, at));
}

function withLine(problem: string, line: number): string {
  return line === 0 ? problem : `line ${line}: ${problem}`;
}

/** Number of lines before the position. */
function lineOf(text: string, at: number): number {
  let line = 0;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++;
  return line;
}

/** Number of lines in the text, including an unterminated last one. */
function lineCount(text: string): number {
  return lineOf(text, text.length) + (text.endsWith('\n') ? 0 : 1);
}
