import { Command } from 'commander';
import { CommandError } from './output/command-error.js';
import { GivebackRun } from './handover/giveback-run.js';
import type { Handover } from './handover/handover.js';
import { LeaseFreeze } from './handover/lease-freeze.js';
import { addHandoverOptions, withHandover } from './handover-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver giveback --cluster-kubeconfig admin.conf --dry-run
  coordination-apiserver giveback --cluster-kubeconfig admin.conf
  coordination-apiserver giveback --cluster-kubeconfig admin.conf --without-copy`;

interface GivebackFlags {
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
  addHandoverOptions(command);
  return command
    .addHelpText('after', EXAMPLES)
    .action((flags: GivebackFlags, self: Command) => withHandover(self, 'giveback', (handover) => giveBack(handover, flags)));
}

async function giveBack(handover: Handover, { dryRun, withoutCopy }: GivebackFlags): Promise<void> {
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
  if (dryRun) return void process.stdout.write(`leases would go back to kube-apiserver ${withoutCopy ? 'without' : 'with'} a copy\n`);
  const run = new GivebackRun(handover);
  await (withoutCopy ? run.giveBackWithoutCopy() : run.giveBack());
}
