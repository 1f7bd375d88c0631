import { type KeyObject, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { CompactSign } from 'jose';
import { CodeFlow } from './code-flow.js';
import { createAuthority, issueServingCertificate } from '../../src/server/tls/certificate-authority.js';

export interface IssuerKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** An RSA key with a key id. */
export function issuerKey(kid: string): IssuerKey {
  return { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

/** An OpenID Connect issuer on this machine: publishes keys, signs any token, and signs users in at the client `cluster`. */
export interface OidcIssuer extends AsyncDisposable {
  readonly url: string;
  /** The authority of its certificate, as PEM. */
  readonly authority: string;
  /** The published keys; may be changed. */
  keys: readonly IssuerKey[];
  /** A token with these claims in addition to an issuer, a subject, the audience `cluster` and a lifetime of one hour. */
  sign(claims?: object, options?: { key?: IssuerKey; header?: object }): Promise<string>;
  readonly codeFlow: CodeFlow;
}

export async function startOidcIssuer(): Promise<OidcIssuer> {
  const now = Date.now();
  const authority = await createAuthority(now);
  const tls = await issueServingCertificate(authority, { dns: ['localhost'], ips: ['127.0.0.1'] }, now);
  const server = createServer(tls, (request, response) => {
    if (issuer.codeFlow.serve(request, response)) return;
    const documents: Record<string, object> = {
      '/.well-known/openid-configuration': {
        issuer: issuer.url,
        jwks_uri: `${issuer.url}/keys`,
        authorization_endpoint: `${issuer.url}/authorize?tenant=test`,
        token_endpoint: `${issuer.url}/token`,
      },
      '/keys': {
        keys: issuer.keys.map(({ publicKey, kid }) => ({ ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' })),
      },
    };
    const document = documents[request.url ?? ''];
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(document ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer: OidcIssuer = {
    url: `https://127.0.0.1:${port}`,
    authority: authority.cert,
    keys: [issuerKey('first')],
    sign: (claims = {}, { key = issuer.keys[0], header = {} } = {}) => {
      if (!key) throw new Error('the issuer has no key');
      const seconds = Math.floor(Date.now() / 1000);
      const all = { iss: issuer.url, aud: 'cluster', sub: 'ann', iat: seconds, exp: seconds + 3600, ...claims };
      return new CompactSign(Buffer.from(JSON.stringify(all)))
        .setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header })
        .sign(key.privateKey);
    },
    codeFlow: new CodeFlow('cluster', (claims) => issuer.sign(claims)),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return issuer;
}
