import { IsIn, IsInt, IsIP, IsNotEmpty, Matches, Max, Min, ValidateIf } from 'class-validator';
import { Setting } from '../../settings/setting.js';
import { CIPHER_SUITES, TLS13_CIPHER_SUITES, TLS_VERSIONS } from './tls-names.js';
import type { TlsVersion } from './tls-names.js';

/** The listening address, the certificates and the process's files. */
export class ProcessSettings {
  @Setting({
    kind: 'text',
    help: 'The IP address to listen on; 0.0.0.0 and :: are all interfaces (default: 127.0.0.1 with the embedded database, 0.0.0.0 with another).',
    placeholder: 'ip',
  })
  @ValidateIf(({ bindAddress }: ProcessSettings) => bindAddress !== '')
  @IsIP(undefined, { message: 'must be an IP address' })
  bindAddress = '';

  @Setting({ kind: 'integer', help: 'The port to serve HTTPS on; 0 takes any free one, which is printed.', placeholder: 'port' })
  @IsInt()
  @Min(0, { message: 'must be between 0 and 65535' })
  @Max(65535, { message: 'must be between 0 and 65535' })
  securePort = 6443;

  @Setting({
    kind: 'integer',
    help: 'How many processes serve, each a whole replica that the kernel gives its share of the connections (Linux); 0 is one for each core. Limits are of each process.',
    placeholder: 'count',
  })
  @IsInt()
  @Min(0, { message: 'must be between 0 and 256' })
  @Max(256, { message: 'must be between 0 and 256' })
  workers = 1;

  @Setting({ kind: 'text', help: 'The directory of everything that the server keeps in files.', placeholder: 'directory' })
  @IsNotEmpty({ message: 'must not be empty' })
  dataDir = '.data';

  @Setting({
    kind: 'text',
    help: 'The directory of generated certificates and the admin token (default: certs in the data directory).',
    placeholder: 'directory',
  })
  certDir = '';

  @Setting({
    kind: 'text',
    help: 'The serving certificate, with its chain, as PEM; one is generated when it is not given.',
    placeholder: 'file',
  })
  tlsCertFile = '';

  @Setting({ kind: 'text', help: "The serving certificate's private key as PEM.", placeholder: 'file' })
  tlsPrivateKeyFile = '';

  @Setting({ kind: 'text', help: `The oldest version of TLS that is spoken: ${TLS_VERSIONS.join(', ')}.`, placeholder: 'version' })
  @IsIn(TLS_VERSIONS, { message: `must be one of ${TLS_VERSIONS.join(', ')}` })
  tlsMinVersion: TlsVersion = 'VersionTLS12';

  @Setting({
    kind: 'list',
    help: `The cipher suites of TLS 1.2, by Go's names (default: those with authenticated encryption), of: ${CIPHER_SUITES.join(', ')}.`,
    placeholder: 'names',
  })
  @IsIn([...CIPHER_SUITES, ...TLS13_CIPHER_SUITES], { each: true, message: `must be of: ${CIPHER_SUITES.join(', ')}` })
  tlsCipherSuites: string[] = [];

  @Setting({
    kind: 'list',
    help: 'Further names and addresses of clients for this server, which a generated serving certificate is to cover.',
    placeholder: 'names',
  })
  // eslint-disable-next-line security/detect-unsafe-regex -- the configuration is its author's
  @Matches(/^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$|^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/, {
    each: true,
    message: 'must be host names and IP addresses',
  })
  tlsSan: string[] = [];

  @Setting({
    kind: 'text',
    help: 'A file that holds the key for the secrets that servers on one database share there (default: the password of the database connection).',
    placeholder: 'file',
  })
  secretsKeyFile = '';

  static conflict({ tlsCertFile, tlsPrivateKeyFile }: ProcessSettings): string | undefined {
    if ((tlsCertFile === '') === (tlsPrivateKeyFile === '')) return undefined;
    return '--tls-cert-file and --tls-private-key-file must be given together';
  }
}
