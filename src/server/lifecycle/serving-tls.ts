import type { TlsMaterial } from '../../endpoints/http-application-options.js';
import type { ServerConfig } from '../config/server-config.js';
import type { ServerSecrets } from '../tls/server-secrets.js';
import { opensslCiphers, opensslVersion } from '../tls/tls-names.js';
import type { ClientAuthorities } from './client-authorities.js';
import type { ServingCertificate } from './serving-certificate.js';
import { servingCertificate } from './serving-certificate.js';
import type { WatchedFiles } from './watched-files.js';

export interface ServingTlsOptions {
  readonly config: ServerConfig;
  readonly secrets: ServerSecrets;
  readonly files: WatchedFiles;
  /** Reload themselves when their files change. */
  readonly clientAuthorities: readonly ClientAuthorities[];
}

/** How the server speaks TLS, kept equal to the files that say so. */
export class ServingTls {
  readonly #options: ServingTlsOptions;
  readonly #certificate: ServingCertificate;
  #changed: () => void = () => undefined;

  /** StartError when the files cannot be used. */
  constructor(options: ServingTlsOptions) {
    this.#options = options;
    const { config, secrets, files, clientAuthorities } = options;
    files.watch([config.tlsCertFile, config.tlsPrivateKeyFile, ...clientAuthorities.map(({ file }) => file)], () => {
      this.#certificate.reload();
      this.#changed();
    });
    this.#certificate = servingCertificate(config, secrets);
  }

  get material(): TlsMaterial {
    const { config, clientAuthorities } = this.#options;
    return {
      ...this.#certificate.keyPair,
      minVersion: opensslVersion(config.tlsMinVersion),
      ciphers: opensslCiphers(config.tlsCipherSuites),
      ...(clientAuthorities.length > 0 ? { clientAuthorities: clientAuthorities.map(({ pem }) => pem).join('') } : {}),
    };
  }

  /** What clients have to trust, as PEM. */
  get authorityCert(): string {
    return this.#certificate.authorityCert;
  }

  /** Sets what is called when anything of it has changed. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }
}
