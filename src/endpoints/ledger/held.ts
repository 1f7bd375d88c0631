/**
 * Kinds of memory that clients make the server hold. The values are indexes of counters.
 *
 * - READS: partial frames, and request bodies until their request ends.
 * - HEADERS: header blocks, decoded headers with the fixed cost of a stream, and the HPACK tables of requests.
 * - RESPONSES: response data that waits to be sent.
 * - WATCHES: events that watches have not been sent yet.
 * - OBJECTS: what bodies and selectors become, and open watches (held-objects.ts).
 */
export const Held = { READS: 0, HEADERS: 1, RESPONSES: 2, WATCHES: 3, OBJECTS: 4 } as const;
export type Held = (typeof Held)[keyof typeof Held];

/** Labels of the kinds in `/metrics`, by value. */
export const HELD_NAMES = ['reads', 'headers', 'responses', 'watches', 'objects'] as const;

/** Charge for a request in progress beyond its headers and body: its objects in this layer and those above. */
export const REQUEST_BYTES = 4096;

/** Charge for a header beyond its text, as in HPACK. */
const HEADER_BYTES = 32;

/** Memory charged for headers; `rawHeaders` alternates names and values. */
export function headerBytes(rawHeaders: readonly string[]): number {
  let bytes = (rawHeaders.length / 2) * HEADER_BYTES;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}
