import { Command } from 'commander';
import { CommandError, EXIT_FINDINGS } from './output/command-error.js';
import { checkInstances, checkVersions } from './handover/check-instances.js';
import { GivebackRun } from './handover/giveback-run.js';
import type { Handover } from './handover/cluster-access.js';
import { LeaseFreeze } from './handover/lease-freeze.js';
import { accepting, GIVEBACK_CHECKS } from './handover/handover-check.js';
import { addAcceptOption, addHandoverOptions, withHandover } from './handover-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver giveback --cluster-kubeconfig admin.conf --dry-run
  coordination-apiserver giveback --cluster-kubeconfig admin.conf
  coordination-apiserver giveback --cluster-kubeconfig admin.conf --without-copy`;

interface GivebackFlags {
  readonly accept: readonly string[];
  readonly dryRun: boolean;
  readonly withoutCopy: boolean;
}

/** `giveback`: makes kube-apiserver serve its leases itself again. */
export function givebackCommand(): Command {
  const command = new Command('giveback')
    .description('Hands the leases back to kube-apiserver and copies them into etcd. Run it again after an interruption.')
    .option('--dry-run', 'Says what would be done and changes nothing.', false)
    .option(
      '--without-copy',
      'If the server cannot be reached: kube-apiserver serves at once, but accepts no election for 70 s, until all leases of the server have expired.',
      false,
    );
  addAcceptOption(command, GIVEBACK_CHECKS);
  addHandoverOptions(command);
  return command
    .addHelpText('after', EXAMPLES)
    .action((flags: GivebackFlags, self: Command) =>
      withHandover(self, 'giveback', (handover) => giveBack(handover, flags), { needsServer: !flags.withoutCopy }),
    );
}

async function giveBack(handover: Handover, { dryRun, withoutCopy, accept }: GivebackFlags): Promise<void> {
  const { cluster } = handover;
  const route = await cluster.route();
  if (!route) {
    throw new CommandError(
      'the cluster has no APIService v1.coordination.k8s.io: restart a kube-apiserver with coordination.k8s.io/v1 enabled',
    );
  }
  const freeze = await new LeaseFreeze(cluster.client).read();
  if (!route.service && freeze?.direction !== 'giveback') {
    if (freeze && !dryRun) await new LeaseFreeze(cluster.client).end();
    return void process.stdout.write(freeze ? 'an interrupted takeover is undone\n' : 'kube-apiserver serves leases itself already\n');
  }
  await checkControlPlane(handover, withoutCopy || freeze?.direction === 'giveback' ? ['instances', 'version'] : accept);
  if (dryRun) return void process.stdout.write(`leases would go back to kube-apiserver ${withoutCopy ? 'without' : 'with'} a copy\n`);
  const run = new GivebackRun(handover);
  await (withoutCopy ? run.giveBackWithoutCopy() : run.giveBack());
}

/** A giveback freezes and switches every kube-apiserver, as a takeover does. In an emergency and to complete one, it goes on with a warning. */
async function checkControlPlane({ cluster, step }: Handover, accept: readonly string[]): Promise<void> {
  const checks = accepting([await checkVersions(cluster.instances), await checkInstances(cluster)], accept);
  for (const { check, state, detail } of checks) if (state !== 'ok') step(`${state}: ${check}: ${detail}`);
  const problems = checks.filter(({ state }) => state === 'problem').map(({ check }) => check);
  if (problems.length === 0) return;
  throw new CommandError(
    `${problems.join(', ')}: see above; nothing has changed, and --accept=${problems.join(',')} goes on`,
    EXIT_FINDINGS,
  );
}
