import type { Authorizer, Decision } from '../../src/auth/authorization/authorizer.js';

/** Denies everything. */
export class DenyAllAuthorizer implements Authorizer {
  authorize(): Decision {
    return { allowed: false };
  }
}
