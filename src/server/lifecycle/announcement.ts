import { isIPv6 } from 'node:net';
import { PROGRAM_VERSION } from './version.js';

/** The URL for a client on this machine. */
export function localUrl(bindAddress: string, port: number): string {
  const everywhere = bindAddress === '0.0.0.0' || /^[0:]+$/.test(bindAddress);
  const host = everywhere ? '127.0.0.1' : bindAddress;
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** What the person who started the server is told once it serves. */
export function announcement(url: string, kubeconfig: string): string {
  const file = /^[\w./@%+=:,-]+$/.test(kubeconfig) ? kubeconfig : `'${kubeconfig.replaceAll("'", `'\\''`)}'`;
  return [
    `coordination-apiserver ${PROGRAM_VERSION} is serving at ${url}`,
    `kubeconfig: ${kubeconfig}`,
    `try: kubectl --kubeconfig ${file} get leases --all-namespaces`,
    '',
  ].join('\n');
}
