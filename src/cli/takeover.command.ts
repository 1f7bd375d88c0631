import { Command } from 'commander';
import { CommandError, EXIT_FINDINGS } from './output/command-error.js';
import { type OutputFormat, outputOption, writeChecks, writeResult } from './output/output-format.js';
import { type Handover, servedBy } from './handover/cluster-access.js';
import { checkTakeover } from './handover/checks.js';
import { accepting, HANDOVER_CHECKS } from './handover/handover-check.js';
import { LeaseFreeze, statusRows } from './handover/lease-freeze.js';
import { TakeoverRun } from './handover/takeover-run.js';
import { type HandoverFlags, addAcceptOption, addHandoverOptions, namesOf, withHandover } from './handover-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver takeover --cluster-kubeconfig admin.conf --dry-run
  coordination-apiserver takeover --cluster-kubeconfig admin.conf --service coordination/coordination-apiserver:443
  coordination-apiserver takeover --status --cluster-kubeconfig admin.conf`;

interface TakeoverFlags extends HandoverFlags {
  readonly dryRun: boolean;
  readonly status: boolean;
  readonly accept: readonly string[];
  readonly stepDown: readonly string[];
  readonly output: OutputFormat;
}

/** `takeover`: makes kube-apiserver serve its leases from this server. */
export function takeoverCommand(): Command {
  const command = new Command('takeover')
    .description(
      "Hands a cluster's leases to the server: copies them, points kube-apiserver's APIService at it, and undoes this if it does not work. Run it again after an interruption.",
    )
    .option('--dry-run', 'Makes all checks and changes nothing.', false)
    .option(
      '--step-down <leases>',
      'Elections whose leader begins again, because its watches would show no more changes; empty for none.',
      namesOf,
      ['kube-system/kube-controller-manager'],
    )
    .option('--status', 'Only shows who serves the leases, and whether a handover was interrupted.', false)
    .addOption(outputOption());
  addAcceptOption(command, HANDOVER_CHECKS);
  addHandoverOptions(command);
  return command
    .addHelpText('after', EXAMPLES)
    .action((flags: TakeoverFlags, self: Command) =>
      withHandover(
        self,
        'takeover',
        (handover, databaseUrl) => (flags.status ? showStatus(handover, flags.output) : takeOver(handover, databaseUrl, flags)),
        { needsServer: !flags.status },
      ),
    );
}

async function takeOver(handover: Handover, databaseUrl: string, { dryRun, accept, stepDown, output }: TakeoverFlags): Promise<void> {
  const { cluster } = handover;
  const route = await cluster.route();
  if (!route) throw new CommandError('the cluster has no APIService v1.coordination.k8s.io: is coordination.k8s.io/v1 disabled already?');
  const freeze = await new LeaseFreeze(cluster.client).read();
  if (freeze?.direction === 'giveback') throw new CommandError('a giveback was interrupted: run giveback first');
  const run = new TakeoverRun(handover);
  if (route.service) {
    const { namespace, name } = route.service;
    if (namespace !== handover.service.namespace || name !== handover.service.name) {
      throw new CommandError(`leases are served by ${namespace}/${name} already: give them back first, or name it with --service`);
    }
    if (route.phase === 'complete') return void process.stdout.write(`leases are served by ${namespace}/${name} already\n`);
    if (dryRun) return void process.stdout.write('a takeover was interrupted after the switch: run takeover again\n');
    return run.complete(stepDown);
  }
  const checks = accepting(await checkTakeover({ ...handover, route, databaseUrl }), accept);
  writeChecks(output, checks);
  const problems = checks.filter(({ state }) => state === 'problem');
  if (problems.length > 0) {
    throw new CommandError(`${problems.map(({ check }) => check).join(', ')}: see above; nothing has changed`, EXIT_FINDINGS);
  }
  if (dryRun) return;
  await run.takeOver();
  await run.complete(stepDown);
  process.stderr.write(AFTERWARDS);
}

const AFTERWARDS = `The server has the leases. Next, restart each kube-apiserver, one after another, with
  --runtime-config=coordination.k8s.io/v1=false
so that it can start while the server is down, and so that its last watches of etcd's leases end.
`;

async function showStatus({ cluster }: Handover, output: OutputFormat): Promise<void> {
  const [route, freeze, instances] = await Promise.all([
    cluster.route(),
    new LeaseFreeze(cluster.client).read(),
    Promise.all(cluster.instances.map(async (each) => ({ instance: each.target.server, servedBy: await servedBy(each) }))),
  ]);
  const status = { route, freeze, instances };
  writeResult(output, status, [['WHAT', 'STATE'], ...statusRows(status)]);
}
