import {
  type CST,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLParseError,
  Composer,
  LineCounter,
  Parser,
  isAlias,
  isMap,
  isScalar,
  isSeq,
} from 'yaml';
import { DecodeError } from '../../errors/api-error.js';
import { goString, quote, sortKeys } from '../../go/go-string.js';
import { type YamlScalar, resolveScalar } from './yaml-scalar.js';
import { syntaxErrorText } from './yaml-syntax-error.js';
import { goYamlLexemes, plainJson, yamlText } from './yaml-text.js';

/** The JSON text of a YAML body, and its duplicate keys. */
export interface YamlConverted {
  /** Compact JSON with sorted keys; `null` for an empty document. */
  readonly json: string;
  /** `line 5: key "x" already set in map`; the JSON contains the last of the duplicates. */
  readonly duplicates: readonly string[];
}

/**
 * Converts the first document of a YAML body to JSON, as sigs.k8s.io/yaml with go-yaml v2 does. Throws a DecodeError that starts with
 * `yaml: ` if the body is not YAML.
 */
export function yamlToJson(body: Buffer): YamlConverted {
  const text = yamlText(body);
  const json = plainJson(text, body);
  return json === undefined ? convert(text) : { json, duplicates: [] };
}

function convert(text: string): YamlConverted {
  checkLength(text);
  const lines = new LineCounter();
  const { stackTraceLimit } = Error;
  // The parser creates an Error for every bad escape, and capturing their stacks would take most of its time.
  Error.stackTraceLimit = 0;
  try {
    const document = firstDocument(text, lines);
    if (document === undefined || document.contents === null) return { json: 'null', duplicates: [] };
    const converter = new Converter(lines, text);
    return { json: writeJson(converter.value(document.contents)), duplicates: converter.duplicates };
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError('yaml: exceeded max depth');
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Formats duplicate keys as one strict finding. */
export function duplicatesFinding(duplicates: readonly string[]): string {
  return `yaml: unmarshal errors:\n  ${duplicates.join('\n  ')}`;
}

/** Further documents are ignored, as in go-yaml. */
function firstDocument(text: string, lines: LineCounter): Document.Parsed | undefined {
  const composer = new Composer({ schema: 'failsafe', version: '1.1', uniqueKeys: false, merge: false, lineCounter: lines });
  const documents = composer.compose(tokensOf(text, lines), true, text.length);
  const document = documents.next().value as Document.Parsed | undefined;
  const error = document?.errors.find((problem) => !isBehind(problem, document.contents));
  if (error !== undefined) throw new DecodeError(`yaml: ${syntaxErrorText(error, text)}`);
  const { explicit, version } = document?.directives.yaml ?? {};
  const isUnknown = document?.warnings.some(({ message }) => message.startsWith('Unsupported YAML version'));
  if (isUnknown === true || (explicit === true && version !== '1.1')) {
    throw new DecodeError('yaml: found incompatible YAML document');
  }
  return document;
}

/** Maximum length in characters of YAML that is not JSON, of which the parser takes its time for each line. */
const MAX_LENGTH = 512 * 1024;
/** Maximum number of lexemes, and of lines. The parser takes microseconds per lexeme, and a body may consist of nothing else. */
const MAX_LEXEMES = 10_000;

function checkLength(text: string): void {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && lines <= MAX_LEXEMES; at = text.indexOf('\n', at + 1)) lines++;
  if (text.length > MAX_LENGTH || lines > MAX_LEXEMES) throw new DecodeError('yaml: document is too long');
}

function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token, void> {
  const parser = new Parser(lines.addNewLine);
  let count = 0;
  lines.addNewLine(0);
  for (const lexeme of goYamlLexemes(text)) {
    if (++count > MAX_LEXEMES) throw new DecodeError('yaml: document has too many tokens');
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** Whether the error is content after a complete first document: `{"a": 1} more`. */
function isBehind({ code, pos }: YAMLParseError, root: Document.Parsed['contents']): boolean {
  if (code !== 'UNEXPECTED_TOKEN' || root === null) return false;
  const endsItself = isScalar(root) ? root.type === 'QUOTE_DOUBLE' || root.type === 'QUOTE_SINGLE' : !isAlias(root) && root.flow === true;
  return endsItself && pos[0] >= root.range[1];
}

/** Maximum number of characters from the start of a simple key to its colon. */
const MAX_SIMPLE_KEY = 1024;

/** A mapping. Entries are identified by key and type, so that 1 and "1" are different keys. */
class Mapping {
  readonly entries = new Map<string, { readonly key: string; readonly value: YamlValue }>();
}

type YamlValue = YamlScalar | Mapping | YamlValue[];

class Converter {
  readonly duplicates: string[] = [];
  readonly #lines: LineCounter;
  readonly #text: string;
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();
  readonly #explicitKeys = new Set<Node>();
  readonly #budget = new AliasBudget();

  constructor(lines: LineCounter, text: string) {
    this.#lines = lines;
    this.#text = text;
  }

  value(node: Node | null): YamlValue {
    this.#budget.count(isScalar(node) ? (node.value as string).length : 0);
    if (node === null) return null;
    if (isAlias(node)) return this.#budget.inAlias(() => this.#inside(this.#anchor(node.source), (target) => this.value(target)));
    if ('anchor' in node && typeof node.anchor === 'string') this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return resolveScalar(node.value as string, node.type === 'PLAIN', node.tag);
    return this.#inside(node, () => {
      if (isSeq(node)) return node.items.map((item) => this.value(item as Node));
      const mapping = new Mapping();
      if (isMap(node)) this.#fill(mapping, node);
      return mapping;
    });
  }

  #fill(mapping: Mapping, node: YAMLMap): void {
    for (const pair of node.items as Pair<Node | null, Node | null>[]) {
      if (isMergeKey(pair.key)) this.#merge(mapping, pair.value);
      else this.#set(mapping, this.value(pair.key), pair);
    }
  }

  #set(mapping: Mapping, key: YamlValue, pair: Pair<Node | null, Node | null>): void {
    if (typeof key === 'string' && key.length > MAX_SIMPLE_KEY / 4) this.#checkSimpleKey(pair.key);
    if (key instanceof Mapping || Array.isArray(key)) throw new DecodeError(`yaml: invalid map key: ${goSyntax(key)}`);
    const value = this.value(pair.value);
    if (key === null) throw new DecodeError(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${goSyntax(value)}`);
    const id = `${typeof key} ${key}`;
    if (mapping.entries.has(id)) {
      const at = (pair.value ?? pair.key)?.range?.[0] ?? 0;
      this.duplicates.push(`line ${this.#lines.linePos(at).line}: key ${goSyntax(key)} already set in map`);
    }
    mapping.entries.set(id, { key: String(key), value });
  }

  /** A key that only its colon marks as one must be short (libyaml's simple keys); in block context, the parser has checked that. */
  #checkSimpleKey(key: Node | null): void {
    const [from = 0, to = 0] = key?.range ?? [];
    // Aliases lead to the same key again, and there may be any amount of space before it.
    if (to - from <= MAX_SIMPLE_KEY || key === null || this.#explicitKeys.has(key)) return;
    if (this.#text.slice(0, from).trimEnd().endsWith('?')) return void this.#explicitKeys.add(key);
    const line = this.#lines.linePos(from).line - 1;
    throw new DecodeError(`yaml: ${line === 0 ? '' : `line ${line}: `}did not find expected ',' or '}'`);
  }

  /** `<<`: merges the keys of other mappings; earlier ones win. Sources count as nodes, like any other alias or mapping. */
  #merge(mapping: Mapping, node: Node | null): void {
    const sources = isSeq(node) ? [...(node.items as Node[])].reverse() : [node];
    for (const source of sources) {
      this.#budget.count();
      if (isAlias(source)) this.#budget.inAlias(() => this.#mergeFrom(mapping, this.#anchor(source.source)));
      else this.#mergeFrom(mapping, source);
    }
  }

  #mergeFrom(mapping: Mapping, source: Node | null): void {
    if (!isMap(source)) throw new DecodeError('yaml: map merge requires map or sequence of maps as the value');
    this.#budget.count();
    if (source.anchor !== undefined) this.#anchors.set(source.anchor, source);
    this.#inside(source, () => this.#fill(mapping, source));
  }

  #anchor(name: string): Node {
    const node = this.#anchors.get(name);
    if (node === undefined) throw new DecodeError(`yaml: unknown anchor '${name}' referenced`);
    if (this.#open.has(node)) throw new DecodeError(`yaml: anchor '${name}' value contains itself`);
    return node;
  }

  #inside<T>(node: Node, work: (node: Node) => T): T {
    const fresh = !this.#open.has(node);
    this.#open.add(node);
    try {
      return work(node);
    } finally {
      if (fresh) this.#open.delete(node);
    }
  }
}

function isMergeKey(key: Node | null): boolean {
  return isScalar(key) && key.value === '<<' && (key.type === 'PLAIN' || key.tag === 'tag:yaml.org,2002:merge');
}

/** Formats a value like Go's %#v. */
function goSyntax(value: YamlValue): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!(value instanceof Mapping)) return String(value);
  const entries = [...value.entries.values()].map((entry) => `${quote(entry.key)}:${goSyntax(entry.value)}`);
  return `map[interface {}]interface {}{${entries.join(', ')}}`;
}

function writeJson(value: YamlValue): string {
  if (typeof value === 'string') return goString(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (value instanceof Mapping) return writeMapping(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new DecodeError(`json: unsupported value: ${goFloat(value)}`);
  return String(value);
}

function writeMapping(mapping: Mapping): string {
  const values = new Map([...mapping.entries.values()].map(({ key, value }) => [key, value]));
  const members = sortKeys([...values.keys()]).map((key) => `${goString(key)}:${writeJson(values.get(key) ?? null)}`);
  return `{${members.join(',')}}`;
}

function goFloat(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

const RATIO = 0.99;
/** Maximum number of nodes in all, keys and those that come from aliases included. Here upstream goes on, with ever fewer aliases. */
const MAX_NODES = 10_000;
/** Maximum number of characters in all; only aliases lead to more than a body may have. */
const MAX_TEXT = 3 * 1024 * 1024;

/** go-yaml's protection against documents that multiply by aliases (decode.go, allowedAliasRatio), with limits on the nodes and texts in all. */
class AliasBudget {
  #nodes = 0;
  #text = 0;
  #aliased = 0;
  #depth = 0;

  /** Called for every node before it is read, wherever it comes from, with the characters of its text. Throws beyond a limit. */
  count(characters = 0): void {
    this.#nodes++;
    this.#text += characters;
    if (this.#depth > 0) this.#aliased++;
    if (this.#aliased > 100 && this.#nodes > 1000 && this.#aliased / this.#nodes > RATIO) throw excessive();
    if (this.#text > MAX_TEXT) throw excessive();
    if (this.#nodes > MAX_NODES) throw this.#aliased > 100 ? excessive() : new DecodeError('yaml: document has too many nodes');
  }

  /** Counts the nodes visited by `work` as coming from an alias. */
  inAlias<T>(work: () => T): T {
    this.#depth++;
    try {
      return work();
    } finally {
      this.#depth--;
    }
  }
}

function excessive(): DecodeError {
  return new DecodeError('yaml: document contains excessive aliasing');
}
