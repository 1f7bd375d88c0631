import net from 'node:net';
import pg from 'pg';

interface Link {
  readonly client: net.Socket;
  readonly server: net.Socket;
  silent: boolean;
  /** Whether the client has sent a query. */
  asked: boolean;
  /** The application name that the client sent. */
  name: string;
}

/** Relays connections between a store and its database, and interrupts them in the ways that a network can. */
export class DatabaseProxy {
  readonly #server: net.Server;
  #upstream: net.NetConnectOpts;
  readonly #links = new Set<Link>();
  /** Whether responses are held back; requests still reach the database. */
  mute = false;
  /** The next connection whose client has this in its name falls silent when it sends this text. */
  trap: { readonly name: string; readonly text: string } | undefined;
  /** Which of the next connections get an answer that nobody waits for, as from a session that a pooler handed over too early. */
  strayAnswers: boolean[] = [];
  /** Whether the names of new clients do not reach the database, as with some poolers. */
  dropsNames = false;
  /** Whether notifications do not reach clients, as behind a pooler that gave the session to somebody else. */
  dropsNotifications = false;
  droppedNotifications = 0;
  #refusing = false;
  /** Connections whose client has this in its name are closed. */
  #refusedName: string | undefined;
  readonly [Symbol.asyncDispose] = () => this.close();

  private constructor(databaseUrl: string) {
    this.#upstream = addressOf(databaseUrl);
    this.#server = net.createServer((client) => this.#link(client));
  }

  static async start(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(databaseUrl);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The URL of the same database through this proxy. */
  url(databaseUrl: string): string {
    const { user, password, database } = new pg.Client({ connectionString: databaseUrl });
    const { port } = this.#server.address() as net.AddressInfo;
    const login = [user, password].map((part) => encodeURIComponent(String(part ?? ''))).join(':');
    return `postgresql://${login}@127.0.0.1:${port}/${database}`;
  }

  /** Stops passing data on the open connections without closing them; new ones work. */
  silence(): void {
    for (const link of this.#links) link.silent = true;
  }

  /** Closes all connections; new ones lead to another server. */
  redirect(databaseUrl: string): void {
    this.#upstream = addressOf(databaseUrl);
    this.cut();
  }

  /** Leads new connections to another server. Open ones are closed unless `keep` is set, as when a DNS name changes. */
  lead(databaseUrl: string, { keep = false } = {}): void {
    this.#upstream = addressOf(databaseUrl);
    if (!keep) this.cut();
  }

  /** Closes all connections, and refuses new ones until `open`. */
  refuse(): void {
    this.#refusing = true;
    this.cut();
  }

  /** Closes the connections whose client has this in its name, and refuses such until `open`. */
  refuseNamed(name: string): void {
    this.#refusedName = name;
    for (const link of this.#links) if (link.name.includes(name)) link.client.destroy();
  }

  open(): void {
    this.#refusing = false;
    this.#refusedName = undefined;
  }

  /** Closes all connections. */
  cut(): void {
    for (const { client, server } of this.#links) {
      client.destroy();
      server.destroy();
    }
    this.mute = false;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #link(client: net.Socket): void {
    if (this.#refusing) return void client.destroy();
    const server = net.connect(this.#upstream);
    const link: Link = { client, server, silent: false, asked: false, name: '' };
    this.#links.add(link);
    const end = () => {
      this.#links.delete(link);
      client.destroy();
      server.destroy();
    };
    client.on('data', (chunk) => {
      const isFirst = link.name === '';
      link.name ||= chunk.toString('latin1');
      if (this.#refusedName !== undefined && link.name.includes(this.#refusedName)) return end();
      if (this.trap && link.name.includes(this.trap.name) && chunk.includes(this.trap.text)) {
        link.silent = true;
        this.trap = undefined;
      }
      if (!link.asked && isQuery(chunk)) {
        link.asked = true;
        if (this.strayAnswers.shift()) client.write(STRAY_ANSWER);
      }
      if (link.silent) return;
      server.write(this.dropsNames && isFirst ? Buffer.from(link.name.replace(NAME, 'x'.repeat(NAME.length)), 'latin1') : chunk);
    });
    server.on('data', (chunk) => {
      if (!link.silent && !this.mute) client.write(this.dropsNotifications ? this.#withoutNotifications(chunk) : chunk);
    });
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
  }

  /** Without the messages NotificationResponse; whole messages are expected, as short answers are. */
  #withoutNotifications(chunk: Buffer): Buffer {
    const kept: Buffer[] = [];
    let at = 0;
    for (let end; at + 5 <= chunk.length; at = end) {
      end = at + 1 + chunk.readInt32BE(at + 1);
      if (chunk[at] === NOTIFICATION) this.droppedNotifications += 1;
      else kept.push(chunk.subarray(at, end));
    }
    return Buffer.concat([...kept, chunk.subarray(at)]);
  }
}

/** How the names of all sessions of a server begin. */
const NAME = 'coordination-apiserver ';

const NOTIFICATION = 'A'.charCodeAt(0);

/** CommandComplete and ReadyForQuery, the answer to the reset query of a pooler. */
const STRAY_ANSWER = Buffer.from('C\0\0\0\x10DISCARD ALL\0Z\0\0\0\x05I', 'latin1');

/** Whether a chunk begins with the message Query or Parse. */
function isQuery(chunk: Buffer): boolean {
  return 'QP'.includes(String.fromCharCode(chunk[0] ?? 0));
}

function addressOf(databaseUrl: string): net.NetConnectOpts {
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}
