import { type ProcessSettings, opensslCiphers, opensslVersion } from '../config/process.settings.js';
import type { ServerSecrets } from './server-secrets.js';
import type { ClientAuthorities } from '../../auth/authentication/x509/certificate-verifier.js';
import type { TlsMaterial } from '../../endpoints/http-server/tls-material.js';
import { type KeyPair, readGivenPair } from './certificate-authority.js';
import type { WatchedFiles } from '../../settings/watched-files.js';

export interface ServingTlsOptions {
  readonly config: ProcessSettings;
  readonly secrets: ServerSecrets;
  readonly files: Pick<WatchedFiles, 'watch'>;
  /** Authorities of client certificates; they reload themselves when their files change. */
  readonly clientAuthorities: readonly ClientAuthorities[];
}

/** The server's TLS settings, kept in step with the files they come from. */
export class ServingTls {
  readonly #options: ServingTlsOptions;
  /** What the server presents: the configured pair, otherwise the generated one. */
  #pair: KeyPair;
  #changed: () => void = () => undefined;

  /** StartError if the files cannot be used. When they change and do not match, the pair stays as it was. */
  constructor(options: ServingTlsOptions) {
    this.#options = options;
    const { config, secrets, files, clientAuthorities } = options;
    const read = (): KeyPair => (config.tlsCertFile === '' ? secrets.serving : readGivenPair(config));
    files.watch([config.tlsCertFile, config.tlsPrivateKeyFile, ...clientAuthorities.map(({ file }) => file)], () => {
      this.#pair = read();
      this.#changed();
    });
    this.#pair = read();
  }

  get material(): TlsMaterial {
    const { config, clientAuthorities } = this.#options;
    return {
      ...this.#pair,
      minVersion: opensslVersion(config.tlsMinVersion),
      ciphers: opensslCiphers(config.tlsCipherSuites),
      ...(clientAuthorities.length > 0 ? { clientAuthorities: clientAuthorities.map(({ pem }) => pem).join('') } : {}),
    };
  }

  /** The authority that clients must trust, as PEM. */
  get authorityCert(): string {
    const { config, secrets } = this.#options;
    return config.tlsCertFile === '' ? secrets.authority.cert : this.#pair.cert;
  }

  /** Sets the callback for changes of the TLS material. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }
}
