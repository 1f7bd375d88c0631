/** A response other than the expected one, or none (status 0). `message` is the server's own if it sent one. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';

  constructor(
    readonly status: number,
    message: string,
    readonly reason = '',
    /** How long the server asks clients to wait, in seconds. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

interface StatusBody {
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly reason?: unknown;
}

/** `coordination-apiserver ui` admits only users who open the address that it has printed. */
export function needsAddress({ reason }: ApiFailure): boolean {
  return reason === 'AddressRequired';
}

const LONGEST = 4000;

/** The message in the body of a failure: that of a Status, or the text itself, shortened. */
export function failureOf(status: number, body: string, retryAfter?: string | null): ApiFailure {
  const seconds = Number(retryAfter ?? NaN);
  const wait = Number.isFinite(seconds) ? seconds : undefined;
  try {
    const parsed = JSON.parse(body) as StatusBody | null;
    if (parsed?.kind === 'Status' && typeof parsed.message === 'string') {
      return new ApiFailure(status, parsed.message, typeof parsed.reason === 'string' ? parsed.reason : '', wait);
    }
  } catch {
    // Plain text, for example from a proxy.
  }
  return new ApiFailure(status, body.trim().slice(0, LONGEST) || `the server answered ${status}`, '', wait);
}
