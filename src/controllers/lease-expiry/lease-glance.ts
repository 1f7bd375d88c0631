const HOLDER = '"holderIdentity":"';
const DURATION = '"leaseDurationSeconds":';
const QUOTE = 34;

/** What decides whether a lease may expire earlier than it was going to. */
export interface LeaseGlance {
  readonly held: boolean;
  /** Infinity: it never expires. */
  readonly seconds: number;
}

/**
 * Reads a stored lease without parsing it, since every renewal passes here. The spec follows the metadata, and a quote within a string is
 * escaped, so the last occurrence of each key is the spec's.
 */
export function leaseGlance(data: string): LeaseGlance {
  const spec = data.lastIndexOf('"spec":');
  const holder = data.lastIndexOf(HOLDER);
  const duration = data.lastIndexOf(DURATION);
  return {
    held: holder > spec && data.charCodeAt(holder + HOLDER.length) !== QUOTE,
    seconds: duration > spec ? parseInt(data.slice(duration + DURATION.length, duration + DURATION.length + 11), 10) : Infinity,
  };
}
