import { Command } from 'commander';
import { PROGRAM_VERSION } from '../settings/program-files.js';
import { SERVER_ORDER } from '../kube/choose-server.js';
import { ownKubeconfig } from './lock/lock-program.js';

const EXAMPLES = `
Examples:
  coordination-apiserver mcp
  coordination-apiserver mcp --context production --namespace agents`;

interface Options {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly databaseUrl?: string;
  readonly databaseSchema?: string;
  readonly holder?: string;
}

/** `mcp`: leases for coding agents. */
export function mcpCommand(): Command {
  return new Command('mcp')
    .description('Serves leases to a coding agent by the Model Context Protocol, over stdin and stdout (docs/clients/mcp.md).')
    .option('--kubeconfig <file>', `Kubeconfig of the server (default: ${SERVER_ORDER}).`)
    .option('--context <name>', 'Context in the kubeconfig (default: the current one).')
    .option('-n, --namespace <name>', "Namespace of the leases (default: the context's, or default).")
    .option('--database-url <url>', 'Database to take leases in, instead of a server.')
    .option('--database-schema <name>', "Schema of the server's tables there (default: coordination).")
    .option('--holder <text>', "What holders are called (default: the agent's program and this machine).")
    .addHelpText('after', EXAMPLES)
    .action(async ({ kubeconfig, context, namespace, databaseUrl: url, databaseSchema: schema, holder }: Options, self: Command) => {
      if (url !== undefined && kubeconfig !== undefined) self.error('error: --database-url and --kubeconfig exclude each other');
      const { runMcp } = await import('../../packages/lease-mcp/src/run-mcp.js');
      const database = url === undefined ? undefined : { url, ...(schema !== undefined && { schema }) };
      await runMcp({ server: { kubeconfig, context, namespace }, database, holder }, ownKubeconfig(process.env), PROGRAM_VERSION);
      process.exit(0);
    });
}
