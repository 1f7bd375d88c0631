import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { totalmem } from 'node:os';

/** Limits on connections and their requests, and timeouts of clients. */
export interface ConnectionLimits {
  /** Maximum number of concurrent connections; 0 means no limit (`--max-connections`). */
  readonly maxConnections: number;
  /** The same from one remote address or IPv6 /64 network; 0 means no limit, absent means half of all (`--max-connections-per-address`). */
  readonly maxPerAddress?: number;
  /**
   * Concurrent streams on one HTTP/2 connection (`--http2-max-streams-per-connection`), and pipelined requests on one HTTP/1.1 connection.
   */
  readonly maxStreams: number;
  /** Fraction of HTTP/2 requests, 0 to 1, after which the client is asked to use a new connection (`--goaway-chance`). */
  readonly goawayChance: number;
  readonly clientTimeouts: ClientTimeouts;
  /** How long an HTTP/2 connection may stay without requests, in milliseconds; 90 s if absent. */
  readonly idleMs?: number;
}

/** Upstream's default. A client that opens many streams without waiting for responses gains little from more. */
export const DEFAULT_MAX_STREAMS = 100;

/** How long clients may keep the server waiting, in milliseconds. */
export interface ClientTimeouts {
  /** Without taking any of the data waiting for them (`--answer-stall-timeout`); 0 means forever. */
  readonly stallMs: number;
  /** Without sending anything while HTTP/2 streams or a WebSocket are open; after this they are pinged. */
  readonly silenceMs: number;
  /** For the answer to a ping, or any other bytes. */
  readonly pingMs: number;
}

/**
 * The last is client-go's timeout for servers (apimachinery util/net/http.go pingTimeoutSeconds). Its other one, 30 s, is also a usual idle limit of
 * proxies, which a ping has to precede.
 */
export const DEFAULT_CLIENT_TIMEOUTS: ClientTimeouts = { stallMs: 10_000, silenceMs: 20_000, pingMs: 15_000 };

/** Measured resident memory of an idle TLS connection (docs/operations.md). */
const BYTES_PER_CONNECTION = 48 * 1024;
const PART_OF_MEMORY = 1 / 4;
const FEWEST = 1000;
const MOST = 10_000;

/** The number of connections that fit into a quarter of the process's memory limit, the container's or the machine's. */
export function connectionsThatFit(memory: number = memoryOfProcess()): number {
  const fit = Math.floor((memory * PART_OF_MEMORY) / BYTES_PER_CONNECTION);
  return Math.min(Math.max(fit, FEWEST), MOST);
}

/** Without a limit, constrainedMemory() is 0 or exceeds the machine's memory. */
function memoryOfProcess(): number {
  return Math.min(process.constrainedMemory() || Infinity, totalmem());
}

/**
 * Bytes of bodies that one HTTP/2 connection may send over all its streams before the server returns window. In the worst case, a turn of
 * the event loop has to decrypt and copy this much for every connection, so it bounds how much a flood of bodies delays others. Window is
 * returned as bytes arrive, whether they are read or not; the stream's window bounds what a stream may leave unread.
 */
export const CONNECTION_WINDOW = 256 * 1024;

/** A set of addresses, from single ones and ranges such as 10.0.0.0/8. */
export class AddressRanges {
  readonly #ranges = new BlockList();

  /** Throws an error that names the text it cannot read. */
  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const [address = '', bits] = text.split('/', 2);
      const most = isIPv4(address) ? 32 : 128;
      const prefix = Number(bits ?? most);
      const isRange =
        isIP(address) !== 0 && prefix >= 0 && prefix <= most && text === (bits === undefined ? address : `${address}/${prefix}`);
      if (!isRange) throw new Error(`"${text}" is no address and no range such as 10.0.0.0/8`);
      this.#ranges.addSubnet(address, prefix, familyOf(address));
    }
  }

  /** An IPv4 address may be in the form that dual-stack sockets show. */
  has(address: string): boolean {
    return this.#ranges.check(address, familyOf(address));
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
