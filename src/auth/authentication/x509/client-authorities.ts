import { X509Certificate } from 'node:crypto';
import { CertificateVerifier } from './certificate-verifier.js';
import { StartError } from '../../../settings/start-error.js';
import { readGivenFile } from '../../../settings/read-given-file.js';
import type { WatchedFiles } from '../../../settings/watched-files.js';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The CAs in a file named by a flag; follows changes of the file. */
export class ClientAuthorities {
  readonly verifier: CertificateVerifier;
  readonly #flag: string;
  readonly file: string;
  #certificates: readonly X509Certificate[];

  /** Throws a StartError if the file cannot be used. */
  constructor(flag: string, file: string, { files, now }: { readonly files: Pick<WatchedFiles, 'watch'>; readonly now: () => number }) {
    this.#flag = flag;
    this.file = file;
    files.watch([file], () => this.#reload());
    this.#certificates = this.#read();
    this.verifier = new CertificateVerifier(this.#certificates, now);
  }

  /** The CAs as PEM. */
  get pem(): string {
    return this.#certificates.map(String).join('');
  }

  /** Whether both have a CA in common. */
  overlaps(other: ClientAuthorities): boolean {
    return this.#certificates.some(({ raw }) => other.#certificates.some((each) => each.raw.equals(raw)));
  }

  #reload(): void {
    this.#certificates = this.#read();
    this.verifier.replace(this.#certificates);
  }

  #read(): X509Certificate[] {
    const found = readGivenFile(this.#flag, this.file).match(CERTIFICATE) ?? [];
    if (found.length === 0) throw new StartError(`${this.#flag} ${this.file} contains no certificate`);
    try {
      return found.map((pem) => new X509Certificate(pem));
    } catch (error) {
      throw new StartError(`cannot use ${this.#flag} ${this.file}: ${(error as Error).message}`);
    }
  }
}
