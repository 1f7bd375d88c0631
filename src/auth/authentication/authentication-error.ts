import { ExpectedError } from '../../apimachinery/errors/expected-error.js';

/**
 * A credential that is not good. The client learns nothing of why but a 401; the log and, of tokens, TokenReviews do. Several causes
 * read as upstream's aggregate does: each text once, in brackets if they are many (apimachinery util/errors).
 */
export class AuthenticationError extends ExpectedError {
  readonly causes: readonly string[];

  constructor(...causes: readonly string[]) {
    const distinct = [...new Set(causes)];
    super(distinct.length === 1 ? distinct[0] : `[${distinct.join(', ')}]`);
    this.name = 'AuthenticationError';
    this.causes = distinct;
  }

  /** Both errors as one. */
  static join(first: AuthenticationError | undefined, second: AuthenticationError): AuthenticationError {
    return first ? new AuthenticationError(...first.causes, ...second.causes) : second;
  }
}
