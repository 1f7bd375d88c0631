import { isPrintable } from '../../go/quote.js';

const MAX_BYTES = 128;
const PLAIN = /^[ -~]*$/;

/**
 * The manager of a write: the fieldManager parameter, or else the User-Agent up to the first slash, cut to its printable
 * characters and 128 bytes (apiserver pkg/endpoints/handlers/create.go managerOrUserAgent).
 */
export function managerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager;
  const slash = userAgent.indexOf('/');
  const product = slash < 0 ? userAgent : userAgent.slice(0, slash);
  return (product.length <= MAX_BYTES && PLAIN.test(product) ? product : printablePrefix(product)) || 'unknown';
}

/** Headers may have a million characters that cannot be printed. */
const MAX_CHECKED = 4096;

function printablePrefix(text: string): string {
  let bytes = 0;
  let kept = '';
  for (const char of text.slice(0, MAX_CHECKED)) {
    if (!isPrintable(char)) continue;
    bytes += Buffer.byteLength(char);
    if (bytes > MAX_BYTES) break;
    kept += char;
  }
  return kept;
}
