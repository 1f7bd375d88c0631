import { quote } from '../apimachinery/go/go-string.js';

const MAX_UINT64 = 2n ** 64n - 1n;

/** A resource version that is not a decimal uint64. The message is Go's, since upstream shows it to clients. */
export class ResourceVersionError extends Error {
  constructor(text: string, problem: 'invalid syntax' | 'value out of range') {
    super(`strconv.ParseUint: parsing ${quote(text)}: ${problem}`);
    this.name = 'ResourceVersionError';
  }
}

/**
 * Parses a resource version like upstream's Versioner.ParseResourceVersion: decimal digits, leading zeros allowed, no sign. '' and '0' give
 * 0, which callers treat as "unset". Throws ResourceVersionError.
 */
export function parseResourceVersion(text: string): bigint {
  if (text === '') return 0n;
  if (!/^[0-9]+$/.test(text)) throw new ResourceVersionError(text, 'invalid syntax');
  const value = BigInt(text);
  if (value > MAX_UINT64) throw new ResourceVersionError(text, 'value out of range');
  return value;
}
