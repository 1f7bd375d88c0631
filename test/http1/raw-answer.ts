import { connect } from 'node:tls';

/** What a server did with the bytes of a client. */
export interface RawAnswer {
  /** Every response in order, a 100 included: its status line, some of its headers and its body. */
  readonly responses: readonly string[];
  readonly closed: boolean;
}

/** How long a server may be silent before it is taken to wait for more. */
const SILENCE_MS = 350;
const LONGEST_MS = 5000;
const SHOWN = ['allow', 'connection', 'content-type', 'location', 'retry-after', 'transfer-encoding', 'www-authenticate'];

/** Sends bytes over HTTP/1.1 and TLS, each part by itself, and reads what comes back until the connection ends or falls silent. */
export async function sendRaw(url: string, parts: readonly (string | Buffer)[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
  const chunks: Buffer[] = [];
  const closed = await new Promise<boolean>((resolve) => {
    let silence: NodeJS.Timeout | undefined;
    const wait = () => {
      clearTimeout(silence);
      silence = setTimeout(() => resolve(false), SILENCE_MS);
    };
    setTimeout(() => resolve(false), LONGEST_MS).unref();
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      wait();
    });
    for (const end of ['end', 'close', 'error'] as const) socket.on(end, () => resolve(true));
    socket.on('secureConnect', () => {
      let at = 0;
      const next = () => {
        const part = parts[at++];
        if (part === undefined) return wait();
        socket.write(part, () => setTimeout(next, parts.length > 1 ? 60 : 0));
      };
      next();
    });
  });
  socket.destroy();
  return { responses: readResponses(Buffer.concat(chunks)), closed };
}

function readResponses(received: Buffer): string[] {
  const responses: string[] = [];
  let rest = received;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return [...responses, `incomplete ${JSON.stringify(rest.toString('latin1', 0, 80))}`];
    const [line = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const headers = new Map(
      lines.map((each) => [each.slice(0, each.indexOf(':')).toLowerCase(), each.slice(each.indexOf(':') + 1).trim()]),
    );
    rest = rest.subarray(end + 4);
    const [version, code] = line.split(' ');
    const status = Number(code);
    const { body, length } = status < 200 || status === 304 ? { body: '', length: 0 } : bodyOf(headers, rest);
    rest = rest.subarray(length);
    // What HTTP/1.1 does anyway need not be said.
    if (headers.get('connection') === 'keep-alive' && version === 'HTTP/1.1') headers.delete('connection');
    const shown = SHOWN.flatMap((name) => (headers.has(name) ? [`${name}: ${headers.get(name)}`] : []));
    responses.push([line, ...shown, essence(body)].filter(Boolean).join(' | '));
  }
  return responses;
}

function bodyOf(headers: ReadonlyMap<string, string>, rest: Buffer): { body: string; length: number } {
  if (headers.get('transfer-encoding') === 'chunked') {
    const end = rest.indexOf('0\r\n\r\n');
    return { body: rest.toString('utf8', rest.indexOf(10) + 1, end < 0 ? undefined : end - 2), length: end < 0 ? rest.length : end + 5 };
  }
  const length = Math.min(Number(headers.get('content-length') ?? rest.length), rest.length);
  return { body: rest.toString('utf8', 0, length), length };
}

/** A Status by its message; of other JSON only that it is some. */
function essence(body: string): string {
  if (!body.startsWith('{')) return JSON.stringify(body.trim().slice(0, 160));
  const { kind, message } = JSON.parse(body) as { kind?: string; message?: string };
  return message === undefined ? `a ${kind ?? 'document'}` : JSON.stringify(message);
}
