import { parseInt64, parseInt64Error } from '../../codec/go-int64.js';
import { badRequest } from '../../errors/status-errors.js';

/** A request's query. Of a parameter that is repeated, the first value counts, but for those that are lists. */
export interface QueryParameters {
  first(name: string): string | undefined;
  all(name: string): readonly string[];
}

const FALSE = /^(?:0|false)$/iu;

/** A boolean parameter: whatever is given is true, `watch=` and `watch=no` included, but for 0 and false. */
export function boolParameter(query: QueryParameters, name: string): boolean | undefined {
  const text = query.first(name);
  return text === undefined ? undefined : !FALSE.test(text);
}

/** An integer parameter; throws the 400 with the text of Go's strconv. */
export function intParameter(query: QueryParameters, name: string): number | undefined {
  const text = query.first(name);
  if (text === undefined) return undefined;
  const number = parseInt64(text);
  if (number === undefined) throw badRequest(parseInt64Error(text));
  return Number(number);
}
