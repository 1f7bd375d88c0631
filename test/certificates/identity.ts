import { type SecureRequest, secureRequest } from '../support/secure-client.js';
import type { Shape } from './shapes.js';
import { pemOf } from './issue.js';

/** Who a server takes a client for. */
export interface Identity {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/** The client's identity; `refused` if the server answers 401 or ends the handshake. */
export async function identityOf(port: number, request: SecureRequest): Promise<Identity | 'refused'> {
  let answer;
  try {
    answer = await secureRequest(port, {
      method: 'POST',
      path: WHO,
      body: '{}',
      ...request,
      headers: { 'content-type': 'application/json', ...request.headers },
    });
  } catch (error) {
    if (/alert|ECONNRESET|socket hang up|EPIPE|aborted/.test(String(error))) return 'refused';
    throw error;
  }
  return identityIn(answer);
}

export function identityIn({ status, text }: { readonly status: number; readonly text: string }): Identity | 'refused' {
  if (status === 401) return 'refused';
  if (status !== 201) throw new Error(`the server answers ${status}: ${text}`);
  const { userInfo } = (JSON.parse(text) as { status: { userInfo: Identity } }).status;
  const extra = Object.entries(userInfo.extra ?? {}).filter(([key]) => key !== CREDENTIAL_ID);
  const { extra: _, ...rest } = userInfo;
  return extra.length === 0 ? rest : { ...rest, extra: Object.fromEntries(extra) };
}

/** The identities of clients of all shapes. */
export async function identitiesOf(port: number, shapes: readonly Shape[], headers = {}): Promise<Record<string, Identity | 'refused'>> {
  const identities: Record<string, Identity | 'refused'> = {};
  for (const shape of shapes) {
    try {
      identities[shape.name] = await identityOf(port, { ...showing(shape), protocol: 'h2', headers });
    } catch (error) {
      throw new Error(`a client that shows ${shape.name}`, { cause: error });
    }
  }
  return identities;
}

/** The shapes with which a front proxy is refused. */
export async function refusedProxiesOf(port: number, shapes: readonly Shape[]): Promise<string[]> {
  const identities = await identitiesOf(port, shapes, { 'x-remote-user': 'ann' });
  return Object.keys(identities).filter((name) => identities[name] === 'refused');
}

/** The connection of a client with certificates of this shape, which OpenSSL must not find too weak to send. */
export function showing({ sent }: Shape): SecureRequest {
  const key = sent[0].privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { shows: sent.map((each) => ({ cert: pemOf(each), key })), tls: { ciphers: 'DEFAULT@SECLEVEL=0' } };
}
