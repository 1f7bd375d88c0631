import type { UserInfo } from '../../../registry/resource/request-context.js';
import { type AuthenticationRequest, type Authenticator, AuthenticationError, withAuthenticatedGroup } from '../authenticator.js';
import type { Certificate } from './certificate.js';
import { COMMON_NAME, ORGANIZATION } from './certificate-name.js';
import type { CertificateVerifier } from './certificate-verifier.js';

/** The subject attribute with the user's uid (apimachinery util/asn1). */
const UID = '1.3.6.1.4.1.57683.2';
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/**
 * Client certificates (apiserver authentication/request/x509): CN is the user, each O a group, and an attribute defined by Kubernetes the
 * uid. A certificate without a CN identifies no one, so the next authenticator is tried.
 */
export class X509Authenticator implements Authenticator {
  readonly #verifier: CertificateVerifier;
  readonly #accepted: (certificate: Certificate) => void;
  readonly #users = new WeakMap<Certificate, UserInfo>();

  /** `accepted` is called for each request. */
  constructor(verifier: CertificateVerifier, accepted: (certificate: Certificate) => void = () => undefined) {
    this.#verifier = verifier;
    this.#accepted = accepted;
  }

  authenticate({ connection }: AuthenticationRequest): UserInfo | undefined {
    const certificate = this.#verifier.verify(connection);
    if (!certificate) return undefined;
    this.#accepted(certificate);
    const known = this.#users.get(certificate);
    if (known) return known;
    const user = userOf(certificate);
    if (user) this.#users.set(certificate, user);
    return user;
  }
}

function userOf({ fields, x509 }: Certificate): UserInfo | undefined {
  const valuesOf = (wanted: string) => fields.subject.flatMap(({ type, value }) => (type === wanted ? value : []));
  // The last of several CNs applies, as in Go's pkix.Name.
  const name = valuesOf(COMMON_NAME).at(-1) ?? '';
  if (name === '') return undefined;
  const [uid, ...others] = valuesOf(UID);
  if (others.length > 0) throw new AuthenticationError(`expected 1 UID, but found multiple: [${[uid, ...others].join(' ')}]`);
  if (uid === '') throw new AuthenticationError('UID cannot be an empty string');
  const fingerprint = x509.fingerprint256.replaceAll(':', '').toLowerCase();
  const extra = { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] };
  return withAuthenticatedGroup({ name, uid: uid ?? '', groups: valuesOf(ORGANIZATION), extra });
}
