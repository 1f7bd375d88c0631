import { ExpectedError, aggregateTexts } from '../../apimachinery/errors/api-error.js';

/**
 * An invalid credential. The client only gets a 401; the reason goes to the log and, for tokens, into TokenReviews. Several causes are
 * joined like upstream's aggregate: each text once, in brackets if there are several (apimachinery util/errors).
 */
export class AuthenticationError extends ExpectedError {
  readonly causes: readonly string[];

  constructor(...causes: readonly string[]) {
    const distinct = [...new Set(causes)];
    super(aggregateTexts(distinct));
    this.name = 'AuthenticationError';
    this.causes = distinct;
  }

  /** Joins two errors. */
  static join(first: AuthenticationError | undefined, second: AuthenticationError): AuthenticationError {
    return first ? new AuthenticationError(...first.causes, ...second.causes) : second;
  }
}
