import type { UserInfo } from '../../../registry/resource/request-context.js';
import { extraKey, headerText } from '../../header-text.js';
import { type AuthenticationRequest, type Authenticator, AuthenticationError } from '../authenticator.js';
import type { Certificate } from '../x509/certificate.js';
import { COMMON_NAME } from '../x509/certificate-name.js';
import type { CertificateVerifier } from '../x509/certificate-verifier.js';

/** The headers in which a proxy names its user. */
export interface RequestHeaderNames {
  /** Accepted common names of proxies' certificates; empty: any certificate of their CA. */
  readonly allowedNames: readonly string[];
  /** The first header with a value counts. */
  readonly username: readonly string[];
  readonly uid: readonly string[];
  /** Headers with groups; all of them count. */
  readonly group: readonly string[];
  readonly extraPrefix: readonly string[];
}

/**
 * Authenticates users that a trusted proxy names in headers (apiserver authentication/request/headerrequest). Without a proxy's client
 * certificate the headers are ignored.
 */
export class RequestHeaderAuthenticator implements Authenticator {
  readonly #verifier: CertificateVerifier;
  readonly #names: RequestHeaderNames;

  constructor(verifier: CertificateVerifier, names: RequestHeaderNames) {
    this.#verifier = verifier;
    const lower = (list: readonly string[]) => list.map((each) => each.trim().toLowerCase());
    this.#names = {
      allowedNames: names.allowedNames,
      username: lower(names.username),
      uid: lower(names.uid),
      group: lower(names.group),
      extraPrefix: lower(names.extraPrefix),
    };
  }

  authenticate(request: AuthenticationRequest): UserInfo | undefined {
    const certificate = this.#verifier.verify(request.connection);
    if (!certificate) return undefined;
    this.#checkName(certificate);
    const { username, uid, group, extraPrefix } = this.#names;
    const headers = headerPairs(request.rawHeaders);
    const name = firstValue(headers, username);
    if (name === '') return undefined;
    const groups = group.flatMap((wanted) => headers.flatMap(([header, value]) => (header === wanted && value !== '' ? value : [])));
    request.cameThroughProxy();
    return { name, uid: firstValue(headers, uid), groups, extra: extraOf(headers, extraPrefix) };
  }

  #checkName({ fields }: Certificate): void {
    const { allowedNames } = this.#names;
    if (allowedNames.length === 0) return;
    const name = fields.subject.findLast(({ type }) => type === COMMON_NAME)?.value ?? '';
    if (!allowedNames.includes(name)) throw new AuthenticationError(`x509: subject with cn=${name} is not in the allowed list`);
  }
}

/** Pairs of lower-case names and values. */
function headerPairs(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    pairs.push([(rawHeaders[at] ?? '').toLowerCase(), headerText(rawHeaders[at + 1] ?? '')]);
  }
  return pairs;
}

/** If a header is repeated, its first value counts even if empty. */
function firstValue(headers: readonly [string, string][], names: readonly string[]): string {
  for (const name of names) {
    const value = headers.find(([header]) => header === name)?.[1] ?? '';
    if (value !== '') return value;
  }
  return '';
}

function extraOf(headers: readonly [string, string][], prefixes: readonly string[]): Record<string, string[]> {
  const extra = Object.create(null) as Record<string, string[]>;
  for (const prefix of prefixes) {
    for (const [header, value] of headers) {
      if (header.startsWith(prefix)) (extra[extraKey(header, prefix)] ??= []).push(value);
    }
  }
  return extra;
}
