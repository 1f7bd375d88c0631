/** Why a sign-in at the issuer has failed; the message is for its user and may contain texts of the issuer. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
}
