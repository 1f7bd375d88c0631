import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ask } from '../../support/http-client.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';
import { ClientProcess } from '../client-process.js';
import { eventually } from '../../support/eventually.js';
import { TcpLink } from '../../support/tcp-link.js';

/** A program of a page: most have these two, Python's one more. */
type Program = 'elect' | 'members' | 'leaselock';

/** A command line, to which the program's name and the process's own arguments are added. */
export type Command = (program: Program) => readonly string[];

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
/** The name in every page's program. */
const ELECTION = 'nightly-report';

/** A server, and the programs of a page that use it, directly or through a proxy that can break their connections. */
export class ClientSite {
  readonly proxy: TcpLink;
  readonly #server: ServerProcess;
  readonly #command: Command;
  readonly #processes: ClientProcess[] = [];

  private constructor(server: ServerProcess, proxy: TcpLink, command: Command) {
    this.#server = server;
    this.proxy = proxy;
    this.#command = command;
  }

  static async open(command: Command): Promise<ClientSite> {
    const server = await startServerProcess();
    return new ClientSite(server, await TcpLink.to(server.port), command);
  }

  start(program: Program, name: string, access: NodeJS.ProcessEnv): ClientProcess {
    const [executable = '', ...args] = this.#command(program);
    const { KUBECONFIG: _, NODE_OPTIONS: __, ...environment } = process.env;
    const started = new ClientProcess(executable, [...args, name], { ...environment, ...access });
    this.#processes.push(started);
    return started;
  }

  byKubeconfig(): { readonly KUBECONFIG: string } {
    return { KUBECONFIG: path.join(this.#server.dataDir, 'admin.kubeconfig') };
  }

  /** By address, token and certificate authority, through the proxy. */
  async byToken(): Promise<NodeJS.ProcessEnv> {
    const { clusters } = JSON.parse(await readFile(this.byKubeconfig().KUBECONFIG, 'utf8')) as AdminKubeconfig;
    const file = path.join(this.#server.dataDir, 'authority.crt');
    await writeFile(file, Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64'));
    return { SERVER: `https://127.0.0.1:${this.proxy.port}`, TOKEN: 'admin-token', CA_FILE: file };
  }

  /** Waits until the leader has renewed its lease several times after a candidate connected through the proxy. */
  async renewedBesideACandidate(): Promise<void> {
    await eventually(
      () => this.proxy.connections > 0,
      () => 'no candidate connects',
    );
    const seen = new Set<unknown>();
    await eventually(
      async () => {
        const { json } = await ask(`${this.#server.url}${LEASES}/${ELECTION}`);
        seen.add((json['spec'] as { renewTime?: string } | undefined)?.renewTime);
        return seen.size > 2;
      },
      () => 'the lease is not renewed',
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.kill()));
    await this.proxy.close();
    await this.#server.stop();
  }
}

interface AdminKubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly 'certificate-authority-data': string } }];
}
