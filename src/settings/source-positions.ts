import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { IS_EXECUTABLE, PROGRAM_FILE, programFolder } from './program-files.js';

/** What of a source map is used here (https://tc39.es/ecma426). */
interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** Positions that have been looked up. There are no more than the program has calls, of which few ever fail. */
const found = new Map<string, string>();
const MAX_FOUND = 5_000;

/**
 * Makes stacks name the sources and lines of the program instead of its bundle. A map is read only when a stack is asked for, and not kept: Node's
 * own support reads all of them at once.
 */
export function nameSources(): void {
  const place = IS_EXECUTABLE ? PROGRAM_FILE : pathToFileURL(path.dirname(PROGRAM_FILE)).href;
  Error.prepareStackTrace = (error, frames) => {
    const maps = new Map<string, SourceMap>();
    const lines = frames.map((frame) => {
      const file = frame.getFileName();
      const text = (frame as { toString(): string }).toString();
      if (!file?.startsWith(place)) return `\n    at ${text}`;
      const position = { file, line: frame.getLineNumber() ?? 1, column: frame.getColumnNumber() ?? 1 };
      return `\n    at ${text.replace(textOf(position), () => sourceOf(position, maps))}`;
    });
    return heading(error) + lines.join('');
  };
}

function heading(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

/** A position as stacks have it: line and column count from 1. */
interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

function textOf({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

/** `maps`: those that have been read for this stack. */
function sourceOf(position: Position, maps: Map<string, SourceMap>): string {
  const { file, line, column } = position;
  const text = textOf(position);
  const known = found.get(text);
  if (known !== undefined) return known;
  const map = maps.get(file) ?? readMap(file);
  maps.set(file, map);
  const source = originalPosition(map, line - 1, column - 1) ?? text;
  if (found.size < MAX_FOUND) found.set(text, source);
  return source;
}

/** Without a map, the position in the bundle is better than none. */
function readMap(file: string): SourceMap {
  try {
    const map = IS_EXECUTABLE ? programFolder('dist').read('main.js.map') : readFileSync(new URL(`${file}.map`));
    return JSON.parse(map.toString()) as SourceMap;
  } catch {
    return { sources: [], mappings: '' };
  }
}

/** The last position of a source that has been mapped to this one or to one before it on the line; lines and columns count from 0. */
export function originalPosition({ sources, mappings }: SourceMap, line: number, column: number): string | undefined {
  let [at, generatedLine, generatedColumn, source, sourceLine, sourceColumn] = [0, 0, 0, 0, 0, 0];
  let position: string | undefined;
  const next = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 5) {
      const digit = DIGITS.indexOf(mappings[at++] ?? 'A');
      value += (digit & 31) << shift;
      if (digit < 32) return value & 1 ? -(value >>> 1) : value >>> 1;
    }
  };
  while (at < mappings.length) {
    const character = mappings[at];
    if (character === ';') {
      if (generatedLine === line) return position;
      generatedLine += 1;
      generatedColumn = 0;
    }
    if (character === ';' || character === ',') {
      at += 1;
      continue;
    }
    generatedColumn += next();
    if (generatedLine === line && generatedColumn > column) return position;
    if (isEnd(mappings[at])) continue;
    source += next();
    sourceLine += next();
    sourceColumn += next();
    if (!isEnd(mappings[at])) next();
    if (generatedLine === line) position = `${sources[source]}:${sourceLine + 1}:${sourceColumn + 1}`;
  }
  return position;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Whether a segment of a mapping ends here. */
function isEnd(character: string | undefined): boolean {
  return character === undefined || character === ',' || character === ';';
}
