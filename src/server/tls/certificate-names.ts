import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { isWildcard } from '../config/server-address.js';

/** The names and addresses that a serving certificate covers. */
export interface CertificateNames {
  readonly dns: readonly string[];
  readonly ips: readonly string[];
}

/**
 * The names under which clients reach a server: this machine's, and those of the `kubernetes` service, by which clients inside a cluster
 * know their API server (kubeadm adds the same ones to its certificate). `further` adds names that this machine cannot know, of a load
 * balancer or behind address translation.
 */
export function servingNames(bindAddress: string, further: readonly string[] = []): CertificateNames {
  const ips = ['127.0.0.1', '::1', ...(isWildcard(bindAddress) ? [] : [bindAddress]), ...further.filter((name) => isIP(name) !== 0)];
  const host = hostname();
  const dns = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'];
  // eslint-disable-next-line security/detect-unsafe-regex -- the configuration is its author's
  if (isIP(host) === 0 && /^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$/.test(host)) dns.push(host);
  dns.push(...further.filter((name) => isIP(name) === 0));
  return { dns: [...new Set(dns)], ips: [...new Set(ips)] };
}
