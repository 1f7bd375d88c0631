import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * Where a request comes from, the nearest last; all but that can be made up by the client (apimachinery pkg/util/net SourceIPs):
 * X-Forwarded-For, then X-Real-Ip, then the connection's other end.
 */
export function sourceIps(headers: IncomingHttpHeaders, remoteAddress: string | undefined): string[] {
  const found = first(headers['x-forwarded-for'])
    .split(',')
    .flatMap((part) => addressOf(part.trim()) ?? []);
  const real = addressOf(first(headers['x-real-ip']));
  if (real !== undefined && !found.includes(real)) found.push(real);
  const remote = addressOf(remoteAddress ?? '');
  if (remote !== undefined && found.at(-1) !== remote) found.push(remote);
  return found;
}

function first(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? '';
}

/** IPv4 addresses that are written as IPv6 are shown as such; undefined for what is no address. */
function addressOf(text: string): string | undefined {
  if (isIP(text) === 0) return undefined;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text);
  return mapped?.[1] ?? text;
}
