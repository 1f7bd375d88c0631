/** The values of `--tls-min-version`: kube-apiserver's names of the versions that are still safe. */
export const TLS_VERSIONS = ['VersionTLS12', 'VersionTLS13'] as const;

export type TlsVersion = (typeof TLS_VERSIONS)[number];

/** Always enabled: TLS 1.3 has no others, and Go does not let users choose among them either. */
const TLS13_SUITES: Readonly<Record<string, string>> = {
  TLS_AES_128_GCM_SHA256: 'TLS_AES_128_GCM_SHA256',
  TLS_AES_256_GCM_SHA384: 'TLS_AES_256_GCM_SHA384',
  TLS_CHACHA20_POLY1305_SHA256: 'TLS_CHACHA20_POLY1305_SHA256',
};

const AUTHENTICATED: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
};

/** Only enabled by name: their encryption is not authenticated, and HTTP/2 excludes them. */
const OLDER: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
};

const ALIASES: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: 'ECDHE-RSA-CHACHA20-POLY1305',
};

const BY_NAME: ReadonlyMap<string, string> = new Map(Object.entries({ ...AUTHENTICATED, ...OLDER, ...ALIASES }));

/** The values of `--tls-cipher-suites`, by Go's names. */
export const CIPHER_SUITES: readonly string[] = [...BY_NAME.keys()];
/** For lists that cover both versions. */
export const TLS13_CIPHER_SUITES: readonly string[] = Object.keys(TLS13_SUITES);

/** Converts Go's names to an OpenSSL list that contains all suites of TLS 1.3; without names, the safest of TLS 1.2. */
export function opensslCiphers(names: readonly string[]): string {
  const chosen = names.length === 0 ? Object.values(AUTHENTICATED) : names.flatMap((name) => BY_NAME.get(name) ?? []);
  return [...Object.values(TLS13_SUITES), ...new Set(chosen)].join(':');
}

export function opensslVersion(version: TlsVersion): 'TLSv1.2' | 'TLSv1.3' {
  return version === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2';
}
