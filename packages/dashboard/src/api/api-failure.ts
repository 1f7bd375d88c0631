/** An answer that is not what was asked for, or none at all (status 0). `message` is the server's own where it gave one. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';

  constructor(
    readonly status: number,
    message: string,
    readonly reason = '',
    /** How long the server asks to wait, in seconds. */
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

/** `coordination-apiserver ui` lets in only those who come by the address that it has printed. */
export function needsAddress({ reason }: ApiFailure): boolean {
  return reason === 'AddressRequired';
}

const LONGEST = 4000;

/** What a body says of a failure: that of a Status, or the text itself, shortened. */
export function failureOf(status: number, body: string, retryAfter?: string | null): ApiFailure {
  const seconds = Number(retryAfter ?? NaN);
  const wait = Number.isFinite(seconds) ? seconds : undefined;
  try {
    const parsed = JSON.parse(body) as StatusBody | null;
    if (parsed?.kind === 'Status' && typeof parsed.message === 'string') {
      return new ApiFailure(status, parsed.message, typeof parsed.reason === 'string' ? parsed.reason : '', wait);
    }
  } catch {
    // A text, as of a proxy in between.
  }
  return new ApiFailure(status, body.trim().slice(0, LONGEST) || `the server answered ${status}`, '', wait);
}
