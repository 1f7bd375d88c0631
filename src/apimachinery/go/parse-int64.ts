import { quote } from './quote.js';

const DECIMAL = /^[+-]?[0-9]+$/;

/** Go's strconv.ParseInt(text, 10, 64); undefined if it fails. */
export function parseInt64(text: string): bigint | undefined {
  if (!DECIMAL.test(text) || text.length > 100) return undefined;
  const number = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, number) === number ? number : undefined;
}

/** The error text of a failed strconv.ParseInt. */
export function parseInt64Error(text: string): string {
  return `strconv.ParseInt: parsing ${quote(text)}: ${DECIMAL.test(text) ? 'value out of range' : 'invalid syntax'}`;
}
