import { availableParallelism } from 'node:os';
import { IsIP, IsNotEmpty, ValidateIf } from 'class-validator';
import { Setting } from '../../settings/setting.js';

/** The values of `--tls-min-version`: kube-apiserver's names of the versions that are still safe. */
const TLS_VERSIONS = ['VersionTLS12', 'VersionTLS13'] as const;

type TlsVersion = (typeof TLS_VERSIONS)[number];

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
const CIPHER_SUITES: readonly string[] = [...BY_NAME.keys()];
/** For lists that cover both versions. */
const TLS13_CIPHER_SUITES: readonly string[] = Object.keys(TLS13_SUITES);

/** Converts Go's names to an OpenSSL list that contains all suites of TLS 1.3; without names, the safest of TLS 1.2. */
export function opensslCiphers(names: readonly string[]): string {
  const chosen = names.length === 0 ? Object.values(AUTHENTICATED) : names.flatMap((name) => BY_NAME.get(name) ?? []);
  return [...Object.values(TLS13_SUITES), ...new Set(chosen)].join(':');
}

export function opensslVersion(version: TlsVersion): 'TLSv1.2' | 'TLSv1.3' {
  return version === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2';
}

/** The listening address, the certificates and the process's files. */
export class ProcessSettings {
  static readonly group = 'Serving';

  @Setting({
    kind: 'text',
    help: 'IP address to listen on; 0.0.0.0 and :: mean all interfaces (default: 127.0.0.1 with the embedded database, 0.0.0.0 with another).',
    placeholder: 'ip',
  })
  @ValidateIf(({ bindAddress }: ProcessSettings) => bindAddress !== '')
  @IsIP(undefined, { message: 'must be an IP address' })
  bindAddress = '';

  @Setting({ kind: 'integer', help: 'HTTPS port; 0 picks a free one, which is printed.', placeholder: 'port', min: 0, max: 65535 })
  securePort = 6443;

  @Setting({
    kind: 'integer',
    help: 'Number of processes that serve, each a full replica with a share of the connections (Linux only); 0 is one per core. Limits apply to each process.',
    min: 0,
    max: 256,
  })
  workers = 1;

  @Setting({
    kind: 'boolean',
    help: 'Gives each worker a port of its own, counting up from --secure-port, instead of one for all: a kube-apiserver that has all of them as endpoints spreads its requests over the workers.',
  })
  workerPorts = false;

  @Setting({ kind: 'text', group: 'Database and storage', help: 'Directory for all files of the server.', placeholder: 'directory' })
  @IsNotEmpty({ message: 'must not be empty' })
  dataDir = '.data';

  @Setting({
    kind: 'text',
    group: 'TLS',
    help: 'Directory for generated certificates and the admin token (default: certs in the data directory).',
    placeholder: 'directory',
  })
  certDir = '';

  @Setting({ kind: 'text', group: 'TLS', help: 'PEM file with the serving certificate and its chain (default: a generated certificate).' })
  tlsCertFile = '';

  @Setting({ kind: 'text', group: 'TLS', help: 'PEM file with the private key of the serving certificate.' })
  tlsPrivateKeyFile = '';

  @Setting({
    kind: 'text',
    group: 'TLS',
    help: `Oldest accepted version of TLS: ${TLS_VERSIONS.join(', ')}.`,
    placeholder: 'version',
    values: TLS_VERSIONS,
  })
  tlsMinVersion: TlsVersion = 'VersionTLS12';

  @Setting({
    kind: 'list',
    group: 'TLS',
    help: `Cipher suites for TLS 1.2, by their names in Go (default: those with authenticated encryption), of: ${CIPHER_SUITES.join(', ')}.`,
    values: [...CIPHER_SUITES, ...TLS13_CIPHER_SUITES],
    message: `must be among ${CIPHER_SUITES.join(', ')}`,
  })
  tlsCipherSuites: string[] = [];

  @Setting({
    kind: 'list',
    group: 'TLS',
    help: 'Additional names and addresses for a generated serving certificate.',
    // eslint-disable-next-line security/detect-unsafe-regex -- the configuration is its author's
    pattern: /^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$|^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/,
    message: 'must be host names and IP addresses',
  })
  tlsSan: string[] = [];

  @Setting({
    kind: 'text',
    group: 'Database and storage',
    help: 'File with the key that encrypts the secrets shared by servers on one database (default: the database password).',
  })
  secretsKeyFile = '';

  static conflict({ tlsCertFile, tlsPrivateKeyFile, workerPorts, workers, securePort }: ProcessSettings): string | undefined {
    if (workerPorts && (securePort === 0 || securePort + workerCount(workers) > 65536)) {
      return '--worker-ports needs a --secure-port from which it can count up, at most to 65535';
    }
    if ((tlsCertFile === '') === (tlsPrivateKeyFile === '')) return undefined;
    return '--tls-cert-file and --tls-private-key-file must be given together';
  }
}

/** The number of serving processes for a value of `--workers`, where 0 means one per core available to this process. */
export function workerCount(workers: number): number {
  return workers === 0 ? availableParallelism() : workers;
}
