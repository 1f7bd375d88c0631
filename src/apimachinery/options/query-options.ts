import type { ApiError } from '../errors/api-error.js';
import { type FieldError, notSupported } from '../errors/field-error.js';
import { badRequest, invalidObject } from '../errors/status-errors.js';
import { parseInt64, parseInt64Error } from '../go/go-string.js';

/** A request's query. */
export interface QueryParameters {
  /** Whether the query has no parameters at all. */
  readonly isEmpty: boolean;
  /** The values of a parameter, in order. */
  all(name: string): readonly string[];
}

/** A query parameter of a verb: its parser and its description in OpenAPI. */
interface QueryOption<Value = unknown> {
  readonly type: 'string' | 'integer' | 'boolean';
  /** Parameters without a description are omitted from OpenAPI. */
  readonly description?: string;
  /** The value if the query does not have the parameter. */
  readonly absent: Value;
  /** Throws the 400 for an unparsable text. `all` are the values of a repeated parameter; scalar options use the first. */
  readonly parse: (first: string, all: readonly string[]) => Value;
}

/** The query parameters of a verb by name, from which its parser, type and OpenAPI parameters are derived. */
export type QueryOptions = Readonly<Record<string, QueryOption>>;

/** The values of a verb's options. Those declared `optional` are optional properties. */
export type OptionValues<Options extends QueryOptions> = {
  readonly [Name in keyof Options as undefined extends Options[Name]['absent'] ? never : Name]: Options[Name]['absent'];
} & {
  readonly [Name in keyof Options as undefined extends Options[Name]['absent'] ? Name : never]?: Options[Name]['absent'];
};

/** A text, `''` if absent. */
export function stringOption(description?: string): QueryOption<string> {
  return { type: 'string', description, absent: '', parse: (text) => text };
}

/** A parameter that may be repeated, all of whose values are used. */
export function stringsOption(description?: string): QueryOption<readonly string[]> {
  return { type: 'string', description, absent: [], parse: (_first, all) => all };
}

/** A 64-bit integer, 0 if absent. The 400 has the text of Go's strconv. */
export function integerOption(description?: string): QueryOption<number> {
  return { type: 'integer', description, absent: 0, parse: parseInteger };
}

/** A boolean, false if absent: any value except 0 and false means true, even that of `watch=` and `watch=no`. */
export function booleanOption(description?: string): QueryOption<boolean> {
  return { type: 'boolean', description, absent: false, parse: (text) => !FALSE.test(text) };
}

/** The same option, but undefined if absent (a pointer in upstream's struct). */
export function optional<Value>(option: QueryOption<Value>): QueryOption<Value | undefined> {
  return { ...option, absent: undefined };
}

/** The parser of a verb's options. It parses them in the order of their declaration and throws the 400 for the first unparsable value. */
export function optionsReader<Options extends QueryOptions>(options: Options): (query: QueryParameters) => OptionValues<Options> {
  const entries = Object.entries(options);
  const defaults = defaultsOf(options);
  return (query) => (query.isEmpty ? defaults : readEntries(entries, defaults, query)) as OptionValues<Options>;
}

/** The values of a query without parameters. */
export function defaultsOf<Options extends QueryOptions>(options: Options): OptionValues<Options> {
  const values = Object.entries(options).map(([name, { absent }]) => [name, absent]);
  return Object.freeze(Object.fromEntries(values)) as OptionValues<Options>;
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the shared defaults if the query has none of the options. */
function readEntries(entries: readonly [string, QueryOption][], defaults: Values, query: QueryParameters): Values {
  let values: Record<string, unknown> | undefined;
  for (const [name, { parse }] of entries) {
    const all = query.all(name);
    if (all[0] !== undefined) (values ??= { ...defaults })[name] = parse(all[0], all);
  }
  return values ?? defaults;
}

function parseInteger(text: string): number {
  const number = parseInt64(text);
  if (number === undefined) throw badRequest(parseInt64Error(text));
  return Number(number);
}

const FALSE = /^(?:0|false)$/iu;

/** The parameters of GET for one object. As upstream, the OpenAPI documents do not list them. */
const GET_OPTIONS = {
  /** Empty: the newest state. */
  resourceVersion: stringOption(),
};

const REMOVED_OPTIONS = { export: booleanOption() };

/** Options of GET for one object. */
export type GetOptions = OptionValues<typeof GET_OPTIONS>;

const readOptions = optionsReader(GET_OPTIONS);
const readRemovedOptions = optionsReader(REMOVED_OPTIONS);

/** Parses the options of GET; throws a 400 for the export parameter, which was removed (apiserver handlers/get.go). */
export function parseGetOptions(query: QueryParameters): GetOptions {
  if (readRemovedOptions(query).export) throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  return readOptions(query);
}

/** The option kinds of meta.k8s.io/v1 that validation errors name. */
export type OptionsKind = 'CreateOptions' | 'DeleteOptions' | 'ListOptions' | 'PatchOptions' | 'UpdateOptions';

export function invalidOptions(kind: OptionsKind, errors: readonly FieldError[]): ApiError {
  return invalidObject({ group: 'meta.k8s.io', kind }, '', errors);
}

/** Adds an error unless every value of dryRun is `All`. */
export function checkDryRun(values: readonly string[], errors: FieldError[]): void {
  if (values.some((value) => value !== 'All')) errors.push(notSupported('dryRun', values, ['All']));
}
