import http from 'node:http';
import https from 'node:https';
import { type KubeTarget, expectedName } from './kube-target.js';

/** Keep-alive connections to a target, over TLS with its authority and client certificate or without, as its URL says. */
export function kubeAgent(target: KubeTarget, options: https.AgentOptions = {}): http.Agent {
  if (!isSecure(target)) return new http.Agent({ keepAlive: true, ...options });
  const { ca, cert, key, insecure, serverName } = target;
  return new https.Agent({
    keepAlive: true,
    ca,
    cert,
    key,
    ...expectedName(serverName),
    rejectUnauthorized: !insecure,
    allowPartialTrustChain: true,
    ...options,
  });
}

/** Begins a request to a path of the target, or to its URL itself, with its credentials. */
export function kubeRequest(target: KubeTarget, path: string, options: http.RequestOptions): http.ClientRequest {
  const authorization = target.authorization?.();
  const headers = { ...options.headers, ...(authorization !== undefined && { authorization }) };
  const url = path === '' ? target.server : `${target.server.replace(/\/$/, '')}${path}`;
  const request = (isSecure(target) ? https : http).request(url, { ...options, headers });
  // Node would end the request without a response or an error.
  request.on('upgrade', (_, socket) => {
    socket.destroy();
    request.emit('error', new Error('the server changes the protocol'));
  });
  return request;
}

function isSecure({ server }: KubeTarget): boolean {
  return /^https:/i.test(server);
}
