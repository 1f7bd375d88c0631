import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * The source addresses of a request, nearest last: X-Forwarded-For, X-Real-Ip, then the peer address (apimachinery pkg/util/net SourceIPs).
 * A client can forge all but the last.
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

/** Normalises an address: IPv4-mapped IPv6 addresses become IPv4. Undefined for anything else. */
function addressOf(text: string): string | undefined {
  if (isIP(text) === 0) return undefined;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text);
  return mapped?.[1] ?? text;
}
