import { Command } from 'commander';
import { humanDuration } from '../../apimachinery/go/go-duration.js';
import { type Lease, leaseExpiry } from '../../apis/coordination/lease/lease.schema.js';
import type { LeaseTerm } from '../../apis/history/lease-term/lease-term.schema.js';
import type { RefusedRequest } from '../../apis/history/refused-request/refused-request.schema.js';
import { type KubeClient, refusal } from '../../kube/kube-client.js';
import type { KubeObject } from '../../kube/kube-object.js';
import { shellWord } from '../../settings/program-call.js';
import { StartError } from '../../settings/start-error.js';
import type { Diagnosis } from '../../storage/maintenance/diagnosis/diagnosis.js';
import { diagnoseControllers, isOfControllers } from '../diagnose-controllers.js';
import { type LeaseName, leaseName, termsOf } from '../kube/lease-terms.js';
import { withoutFraction } from '../output/columns.js';
import { CommandError, EXIT_FINDINGS } from '../output/command-error.js';
import { type OutputFormat, outputOption, writeChecks } from '../output/output-format.js';
import { addServerOptions, withServer } from '../server-access.js';

const EXAMPLES = `
Examples:
  coordination-apiserver doctor lease jobs/one
  coordination-apiserver doctor lease one -n jobs -o json`;

/** `doctor lease`: says who holds a lease, and why nobody does. */
export function doctorLeaseCommand(): Command {
  const command = new Command('lease')
    .description(
      "Says why a lease has no holder, or the wrong one: who holds it and until when, by which clock, whether the holder's clock and duration make sense, how often it changed hands, and whose requests were refused, why, and what helps. Exit code 2: problems found.",
    )
    .argument('<lease>', 'Name of the lease, or NAMESPACE/NAME.')
    .option('-n, --namespace <name>', 'Namespace of the lease (default: default).')
    .addOption(outputOption());
  addServerOptions(command);
  return command
    .addHelpText('after', EXAMPLES)
    .action(async (lease: string, { namespace, output }: { namespace?: string; output: OutputFormat }, self: Command) => {
      const asked = leaseName(namespace === undefined ? lease : `${namespace}/${lease}`);
      const { facts, controllers } = await withServer(self, async (client) => ({
        facts: await leaseFacts(client, asked),
        controllers: isOfControllers(asked.namespace, asked.name) ? [await diagnoseControllers(client, Date.now())] : [],
      }));
      const found = [...diagnoseLease(facts, Date.now()), ...controllers];
      writeChecks(output, found);
      const line = freeingLine(facts, found);
      if (output === 'table' && line !== undefined) process.stdout.write(`\nWhat may help:\n\n  ${line}\n`);
      const problems = new Set(found.filter(({ state }) => state === 'problem').map(({ check }) => check));
      if (problems.size > 0) throw new CommandError(`${[...problems].join(', ')}: see above`, EXIT_FINDINGS);
    });
}

/** A lease that changed hands so often within ten minutes flaps. */
const FLAPPING_CHANGES = 3;
const FLAPPING_MS = 600_000;
/** What a clock may be off, and what a second of managedFields hides. */
const TOLERANCE_MS = 2000;
/** No elector waits so long on purpose. */
const LONGEST_SECONDS = 86_400;

/** What is wrong with a lease, and why nobody leads. `now` is the local clock. */
function diagnoseLease({ name, lease, terms, refused, waiting }: LeaseFacts, now: number): Diagnosis[] {
  const isHeld = Boolean(lease?.spec?.holderIdentity) && (leaseExpiry(lease as Lease, 'end') ?? Infinity) > now;
  return [
    ...(lease
      ? [holding(lease, terms, now), ...clocks(lease), ...duration(lease)]
      : [{ ...HOLDER, ...PROBLEM, detail: 'the lease does not exist' }]),
    changes(terms, now),
    ...(typeof refused === 'string'
      ? [{ check: 'asked in vain', state: 'warning', detail: `unknown: ${refused}` } as const]
      : [
          {
            check: 'asked in vain',
            state: refused.some((each) => isOfEverybody(each.status) && isRecent(each, now)) ? 'problem' : 'ok',
            detail: askedInVain(refused, waiting, now),
          } as const,
          ...refused.map((each) => refusalOf(each, { name, isHeld, now })),
        ]),
  ];
}

/** Whether a line to copy frees the lease, and that line. */
function freeingLine({ namespace, name, lease }: LeaseFacts, found: readonly Diagnosis[]): string | undefined {
  if (!lease || !found.some(({ check, detail }) => check === DURATION.check || (check === CLOCK.check && detail.includes(' ahead ')))) {
    return undefined;
  }
  const patch = JSON.stringify({ spec: { holderIdentity: '', leaseDurationSeconds: 1, renewTime: null } });
  return `kubectl patch lease ${shellWord(name)} -n ${shellWord(namespace)} --type=merge -p ${shellWord(patch)}   # once its holder has stopped`;
}

const HOLDER = { check: 'holder' };
const CLOCK = { check: "holder's clock" };
const DURATION = { check: 'duration' };
const PROBLEM = { state: 'problem' } as const;

function holding(lease: Lease, terms: LeaseFacts['terms'], now: number): Diagnosis {
  const { holderIdentity: holder = '', renewTime, leaseDurationSeconds = 0 } = lease.spec ?? {};
  if (!holder) return { ...HOLDER, ...PROBLEM, detail: 'nobody holds the lease: whoever asks next gets it' };
  const since = typeof terms === 'string' ? '' : (terms.at(-1)?.spec.from ?? '');
  const held = `${holder}${since === '' ? '' : `, since ${withoutFraction(since)}`}`;
  const expiry = leaseExpiry(lease, 'end');
  if (expiry === undefined) {
    return { ...HOLDER, state: 'warning', detail: `${held}; without a duration or a time, the lease never expires` };
  }
  const isByHolder = expiry === Date.parse(renewTime ?? '') + leaseDurationSeconds * 1000;
  const clock = isByHolder ? "by the holder's clock (renewTime)" : "by the server's clock, to the second";
  if (expiry > now) return { ...HOLDER, state: 'ok', detail: `${held}; expires in ${humanDuration(expiry - now)}, ${clock}` };
  return { ...HOLDER, ...PROBLEM, detail: `${held}; expired ${humanDuration(now - expiry)} ago, ${clock}, and nobody took it` };
}

/** Compares renewTime with when the server got it. */
function clocks(lease: Lease): Diagnosis[] {
  const { renewTime, leaseDurationSeconds = 0 } = lease.spec ?? {};
  const renewed = Date.parse(renewTime ?? '');
  const received = receivedAt(lease);
  if (Number.isNaN(renewed) || received === undefined) return [];
  const ahead = renewed - received - 1000;
  const behind = received - renewed;
  const most = Math.max(TOLERANCE_MS, leaseDurationSeconds * 1000);
  if (ahead > most) {
    const detail = `renewTime was ${humanDuration(ahead)} ahead of the server: electors that compare it with their clock wait until ${renewTime}; those of client-go, and locks, do not`;
    return [{ ...CLOCK, ...PROBLEM, detail }];
  }
  if (behind > most) {
    const detail = `renewTime was ${humanDuration(behind)} behind the server: electors that compare it with their clock take the lease from its holder`;
    return [{ ...CLOCK, ...PROBLEM, detail }];
  }
  const off = Math.max(ahead, behind);
  return [
    off > TOLERANCE_MS
      ? { ...CLOCK, state: 'warning', detail: `off by ${humanDuration(off)}, less than the duration` }
      : { ...CLOCK, state: 'ok', detail: 'agrees with the server' },
  ];
}

/** When the server got the renewTime, to the second before. */
function receivedAt({ metadata }: Lease): number | undefined {
  const entry = metadata.managedFields?.find(
    ({ fieldsV1 }) => (fieldsV1?.['f:spec'] as object | undefined) && 'f:renewTime' in (fieldsV1?.['f:spec'] as object),
  );
  return entry?.time ? Date.parse(entry.time) : undefined;
}

function duration({ spec }: Lease): Diagnosis[] {
  const seconds = spec?.leaseDurationSeconds ?? 0;
  if (!spec?.holderIdentity || seconds <= LONGEST_SECONDS) return [];
  return [
    {
      ...DURATION,
      ...PROBLEM,
      detail: `${seconds} s: if the holder ends without releasing it, nobody takes the lease for ${humanDuration(seconds * 1000)}`,
    },
  ];
}

function changes(terms: readonly LeaseTerm[] | string, now: number): Diagnosis {
  if (typeof terms === 'string') return { check: 'terms', state: 'ok', detail: terms };
  const recent = terms.filter(({ spec }) => now - Date.parse(spec.from ?? '') < FLAPPING_MS).map(({ spec }) => spec.holder);
  const changed = recent.filter((holder, at) => at > 0 && holder !== recent[at - 1]).length;
  const holders = [...new Set(recent)];
  if (changed < FLAPPING_CHANGES) {
    return { check: 'terms', state: 'ok', detail: `${terms.length} known, ${changed} changes of the holder within ten minutes` };
  }
  const who =
    holders.length === 2
      ? `${holders.join(' and ')} alternate: two services that share the lease, or clocks that differ`
      : `${holders.length} holders`;
  return { check: 'terms', ...PROBLEM, detail: `the holder changed ${changed} times within ten minutes: ${who}` };
}

function refusalOf({ spec, status }: RefusedRequest, { name, isHeld, now }: { name: string; isHeld: boolean; now: number }): Diagnosis {
  const { code, cause, field, count, lastTime, waiting } = status;
  const failed = isOfEverybody(status);
  const who = failed ? 'everybody' : `${spec.user || 'somebody'} (${spec.userAgent ?? ''})`;
  const which = failed ? ' of this namespace' : spec.objectName === name ? '' : ' (which one is unknown)';
  const what = `${spec.verb} ${spec.resource.split('.')[0]}${which}`;
  const why = `${code} ${cause}${field ? ` ${field}` : ''}`;
  const times = `${count === 1 ? 'once' : `${count} times`}, last ${humanDuration(now - Date.parse(lastTime ?? ''))} ago`;
  return {
    check: waiting ? 'waits' : 'refused',
    state: waiting ? 'ok' : isHeld ? 'warning' : 'problem',
    detail: `${who}: ${what}: ${why}, ${times}, by ${status.server}. ${status.remedy || status.message || ''}`,
  };
}

const RECENT_MS = 60_000;

function isRecent({ status }: RefusedRequest, now: number): boolean {
  return now - Date.parse(status.lastTime ?? '') < RECENT_MS;
}

/** `3 others asked in the last minute: 2 wait, 1 is refused: REMEDY`. `queued` wait without being refused. */
function askedInVain(refused: readonly RefusedRequest[], queued: number, now: number): string {
  const failed = refused.filter((each) => isOfEverybody(each.status) && isRecent(each, now));
  if (failed.length > 0) return failedForEverybody(failed);
  const recent = refused.filter((each) => each.spec.objectName && isRecent(each, now));
  const clientsOf = (waiting: boolean): number =>
    new Set(recent.filter(({ status }) => Boolean(status.waiting) === waiting).map(({ spec }) => `${spec.user} ${spec.userAgent}`)).size;
  const inVain = clientsOf(false);
  const wait = clientsOf(true) + queued;
  if (wait + inVain === 0) return 'nobody asked in vain in the last minute';
  const { remedy, message = '' } = recent.find(({ status }) => !status.waiting)?.status ?? {};
  const parts = [
    ...(wait > 0 ? [`${wait} ${wait === 1 ? 'waits' : 'wait'}`] : []),
    ...(inVain > 0 ? [`${inVain} ${inVain === 1 ? 'is' : 'are'} refused`] : []),
  ];
  return `${wait + inVain} ${wait + inVain === 1 ? 'other' : 'others'} asked in the last minute: ${parts.join(', ')}${inVain > 0 ? `: ${remedy || message}` : ''}`;
}

function failedForEverybody(failed: readonly RefusedRequest[]): string {
  const times = failed.reduce((sum, { status }) => sum + (status.count ?? 0), 0);
  const what = [...new Set(failed.map(({ spec }) => spec.verb))].join(', ');
  return `everybody who asked for leases of this namespace (${what}), ${times} times: ${failed[0]?.status.message ?? ''}`;
}

/** What a server tells about a lease; a text instead says why it does not. */
interface LeaseFacts extends LeaseName {
  /** Undefined: it does not exist. */
  readonly lease: Lease | undefined;
  readonly terms: readonly LeaseTerm[] | string;
  /** Refused requests for the lease, and in its namespace creates that were refused unread, for whichever lease, and what failed for everybody. */
  readonly refused: readonly RefusedRequest[] | string;
  /** How many wait in the lock's queue, or as candidates of a coordinated election. */
  readonly waiting: number;
}

const REFUSED = '/apis/history.coordination-apiserver.dev/v1';
const QUEUE_LABEL = 'coordination-apiserver/queue-of';

/** Asks for all of it. Throws a CommandError if the lease may not be read. */
async function leaseFacts(client: KubeClient, { namespace, name }: LeaseName): Promise<LeaseFacts> {
  const inNamespace = `namespaces/${encodeURIComponent(namespace)}`;
  const leases = `/apis/coordination.k8s.io/v1/${inNamespace}/leases`;
  const answer = await client.ask('GET', `${leases}/${encodeURIComponent(name)}`);
  if (answer.status !== 200 && answer.status !== 404) throw refusal('cannot read the lease', answer);
  const lease = answer.status === 200 ? (answer.body as Lease) : undefined;
  const tickets = await itemsAt(client, `${leases}?labelSelector=${encodeURIComponent(QUEUE_LABEL)}`);
  const candidates = await itemsAt(client, `/apis/coordination.k8s.io/v1beta1/${inNamespace}/leasecandidates`);
  return {
    namespace,
    name,
    lease,
    terms: await termsOf(client, { namespace, name }).catch(textOf),
    refused: await refusedFor(client, `${REFUSED}/${inNamespace}/refusedrequests`, name).catch(textOf),
    waiting:
      tickets.filter(({ metadata }) => metadata?.name?.startsWith(`${name}.ticket-`)).length +
      candidates.filter((each) => isCandidate(each, name, lease?.spec?.holderIdentity ?? '')).length,
  };
}

/** Nothing where the server does not serve them, or not to this user. */
async function itemsAt(client: KubeClient, path: string): Promise<readonly KubeObject[]> {
  const { status, body } = await client.ask('GET', path);
  return status === 200 ? (body.items ?? []) : [];
}

function isCandidate({ metadata, spec }: KubeObject, lease: string, holder: string): boolean {
  return (spec as { leaseName?: string } | undefined)?.leaseName === lease && metadata?.name !== holder;
}

async function refusedFor(client: KubeClient, path: string, name: string): Promise<RefusedRequest[]> {
  const answer = await client.ask('GET', path);
  if (answer.status === 404) throw new CommandError('the server does not serve them: see --runtime-config');
  if (answer.status !== 200) throw refusal('cannot list them', answer);
  const all = (answer.body.items ?? []) as unknown as RefusedRequest[];
  return all.filter(
    ({ spec, status }) => spec.objectName === name || (!spec.objectName && (spec.verb === 'create' || isOfEverybody(status))),
  );
}

/** Whether the server itself failed. */
function isOfEverybody({ code = 0 }: RefusedRequest['status']): boolean {
  return code >= 500;
}

function textOf(error: unknown): string {
  if (error instanceof StartError) return error.message;
  throw error;
}
