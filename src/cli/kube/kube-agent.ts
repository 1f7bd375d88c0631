import { type AgentOptions, Agent } from 'node:https';
import type { KubeTarget } from './kube-target.js';

/** Creates a keep-alive agent for an API server, with its CA and the client certificate; tokens are sent per request. */
export function kubeAgent({ authority, insecure, serverName, certificate, key }: KubeTarget, options: AgentOptions = {}): Agent {
  return new Agent({
    keepAlive: true,
    rejectUnauthorized: insecure !== true,
    allowPartialTrustChain: true,
    ca: authority,
    servername: serverName,
    cert: certificate,
    key,
    ...options,
  });
}
