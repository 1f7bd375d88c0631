/** The hosts of a database URL, or without one of PGHOST; sockets have none. */
export function databaseHostNames(url: string, { PGHOST = '' }: NodeJS.ProcessEnv = process.env): string[] {
  const hosts = url === '' ? PGHOST : hostsOf(url);
  return hosts
    .split(',')
    .map(withoutPort)
    .filter((host) => host !== '' && !host.startsWith('/') && !host.startsWith('@'));
}

/** Not parsed as a URL, which has one host. */
function hostsOf(url: string): string {
  const [address = '', query = ''] = (url.split('//')[1] ?? '').split('?');
  const authority = address.split('/')[0] ?? '';
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  return decodeURIComponent(new URLSearchParams(query).get('host') ?? hosts);
}

function withoutPort(host: string): string {
  const [, address] = /^\[([^\]]*)\]/.exec(host) ?? [];
  return address ?? host.replace(/:\d+$/, '');
}
