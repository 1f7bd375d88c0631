const NOT_OF_AUTHORITY = /^(UNABLE_TO_(GET_ISSUER|VERIFY)|SELF_SIGNED|DEPTH_ZERO_SELF_SIGNED|CERT_(SIGNATURE_FAILURE|UNTRUSTED))/;
const NOT_VALID_NOW = /^CERT_(NOT_YET_VALID|HAS_EXPIRED)/;

/** Whether the certificate of a server is not from the authority that the client trusts. */
export function isOfOtherAuthority(error: Error): boolean {
  return NOT_OF_AUTHORITY.test((error as NodeJS.ErrnoException).code ?? '');
}

/** Why a server's answer did not come, with what to do about its certificate if that is the reason. */
export function connectionFailure(error: Error): string {
  // OpenSSL ends its messages with a line break; Node appends a hint for people who start Node themselves.
  const message = error.message.replace(/; if the root CA is installed locally.*/s, '').trim() || error.name;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (isOfOtherAuthority(error)) {
    return `${message}: its certificate is not from the authority in the kubeconfig, which may be of another server, or made before its authority was`;
  }
  if (NOT_VALID_NOW.test(code)) return `${message}: its certificate is not valid now; correct this machine's clock, or restart the server`;
  return message;
}

/** What to do about credentials that a server does not know. */
export const UNKNOWN_CREDENTIALS =
  'the credentials are of another server, or have expired: take the kubeconfig that the server has written';
