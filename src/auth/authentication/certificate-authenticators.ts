import type { Authenticator } from './authenticator.js';
import { RequestHeaderAuthenticator } from './request-header/request-header-authenticator.js';
import type { Certificate } from './x509/certificate.js';
import { X509Authenticator } from './x509/x509-authenticator.js';
import type { AuthSettings } from '../auth.settings.js';
import { StartError } from '../../settings/start-error.js';
import { ClientAuthorities } from './x509/client-authorities.js';
import type { WatchedFiles } from '../../settings/watched-files.js';

interface CertificateSources {
  readonly config: AuthSettings;
  readonly files: Pick<WatchedFiles, 'watch'>;
  readonly now: () => number;
  /** Called for each request that a client's certificate authenticates. */
  readonly accepted: (certificate: Certificate) => void;
}

/** Authenticators that need a client certificate, in upstream's order, and the CAs of those certificates. */
export function certificateAuthenticators(sources: CertificateSources): {
  readonly authenticators: Authenticator[];
  readonly authorities: readonly ClientAuthorities[];
} {
  const { config } = sources;
  const proxies = authoritiesOf('--requestheader-client-ca-file', config.requestheaderClientCaFile, sources);
  const clients = authoritiesOf('--client-ca-file', config.clientCaFile, sources);
  if (proxies && clients?.overlaps(proxies) && config.requestheaderAllowedNames.length === 0) {
    throw new StartError(
      '--requestheader-client-ca-file and --client-ca-file have an authority in common, so --requestheader-allowed-names must list the names in ' +
        'certificates of proxies',
    );
  }
  const authenticators: Authenticator[] = [];
  if (proxies) {
    authenticators.push(
      new RequestHeaderAuthenticator(proxies.verifier, {
        allowedNames: config.requestheaderAllowedNames,
        username: config.requestheaderUsernameHeaders,
        uid: config.requestheaderUidHeaders,
        group: config.requestheaderGroupHeaders,
        extraPrefix: config.requestheaderExtraHeadersPrefix,
      }),
    );
  }
  if (clients) authenticators.push(new X509Authenticator(clients.verifier, sources.accepted));
  return { authenticators, authorities: [proxies, clients].filter((each) => each !== undefined) };
}

function authoritiesOf(flag: string, file: string, sources: CertificateSources): ClientAuthorities | undefined {
  return file === '' ? undefined : new ClientAuthorities(flag, file, sources);
}
