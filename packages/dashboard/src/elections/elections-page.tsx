import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ApiFailure } from '../api/api-client.js';
import { StateBadge } from '../leases-page/state-badge.js';
import { leaseState } from '../leases/observed-lease.js';
import { useAsked, useLive } from '../shell/use-live.js';
import { useServices } from '../shell/services.js';
import { asSentence, showText } from '../text/show-text.js';
import { showDuration } from '../text/show-time.js';
import { type Candidate, type Election, LiveCandidates, explainElection, findCandidateVersion, groupCandidates } from './election.js';

/** Coordinated leader election: the candidates for each lease, and why the holder was chosen. */
export function ElectionsPage(): JSX.Element {
  const { client, route } = useServices();
  const { answer: version, failure } = useAsked('version', (signal) => findCandidateVersion(client, signal));
  return (
    <>
      <div class="page-title">
        <h1>Elections</h1>
        <p class="muted">Candidates among which the server chooses the leader (coordinated leader election).</p>
      </div>
      {failure && <Failed failure={failure} />}
      {version === null && (
        <div class="empty card">
          <h2>Not served here</h2>
          <p class="muted">This server has no LeaseCandidates. Programs take leases without a controller, as is usual.</p>
        </div>
      )}
      {version && <Elections key={`${version} ${route.scope}`} version={version} />}
    </>
  );
}

function Elections({ version }: { readonly version: string }): JSX.Element {
  const { client, live, clock, route } = useServices();
  const candidates = useMemo(() => new LiveCandidates(), []);
  useEffect(() => {
    candidates.follow(client, version, route.scope);
    return () => candidates.stop();
    // After a silence, changes may have been missed.
  }, [candidates, client, version, route.scope, clock.silences]);
  useLive(candidates.changed);
  const { state } = candidates;
  if (state.phase === 'refused') return <Failed failure={state.failure} />;
  if (!candidates.loaded) return <p class="muted">Loading candidates…</p>;
  const elections = groupCandidates(candidates.objects.values(), live.store.leases);
  if (elections.length === 0 && state.phase !== 'waiting') return <NoCandidates />;
  return (
    <div class="elections">
      {state.phase === 'waiting' && clock.silentMs === 0 && <OutOfDate failure={state.failure} />}
      {elections.map((election) => (
        <ElectionCard key={election.key} election={election} now={clock.known()} />
      ))}
    </div>
  );
}

function OutOfDate({ failure }: { readonly failure: ApiFailure }): JSX.Element {
  return <p class="notice notice-warn">{asSentence(showText(failure.message, 300))} What is shown may be out of date.</p>;
}

function Failed({ failure }: { readonly failure: ApiFailure }): JSX.Element {
  const { route } = useServices();
  return (
    <p class="notice notice-warn" role="alert">
      {failure.status === 403 ? refusal(route.scope) : ''}
      {showText(failure.message, 500)}
    </p>
  );
}

function refusal(namespace: string): string {
  return namespace === ''
    ? 'You may not list lease candidates of all namespaces; choose a namespace on the Leases page. '
    : `You may not list lease candidates in ${showText(namespace)}. `;
}

function NoCandidates(): JSX.Element {
  return (
    <div class="empty card">
      <h2>No candidates</h2>
      <p class="muted">
        A process becomes a candidate by creating a LeaseCandidate with its versions. The server’s controller elects the one with the oldest
        emulation version, so that during an upgrade the old version leads until all are upgraded. In client-go: Coordinated: true.
      </p>
    </div>
  );
}

function ElectionCard({ election, now }: { readonly election: Election; readonly now: number }): JSX.Element {
  const { href } = useServices();
  const { namespace, name, lease, candidates, strategy } = election;
  const state = lease && leaseState(lease, now);
  const leader = state === 'held' || state === 'due' ? lease?.holder : undefined;
  return (
    <section class="card election" aria-label={`${showText(namespace)}/${showText(name)}`}>
      <div class="election-head">
        <h2>
          <a href={href({ page: 'lease', namespace, name, tab: 'overview' })}>
            <span class="namespace">{showText(namespace)}/</span>
            <bdi>{showText(name)}</bdi>
          </a>
        </h2>
        {state && <StateBadge state={state} />}
        <span class="strategy">{showText(strategy || 'no strategy')}</span>
      </div>
      <p>
        {leader !== undefined && (
          <>
            <strong class="holder">
              <bdi>{showText(leader)}</bdi>
            </strong>{' '}
            leads.{' '}
          </>
        )}
        {showText(explainElection(election, now), 500)}
      </p>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={`Candidates for ${showText(name)}`}>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Candidate</th>
              <th scope="col">Emulates</th>
              <th scope="col">Binary</th>
              <th scope="col">Created</th>
              <th scope="col">Last renewed</th>
            </tr>
          </thead>
          <tbody>
            {candidates.map((candidate) => (
              <CandidateRow key={candidate.name} candidate={candidate} isLeader={candidate.name === leader} now={now} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function CandidateRow({
  candidate,
  isLeader,
  now,
}: {
  readonly candidate: Candidate;
  readonly isLeader: boolean;
  readonly now: number;
}): JSX.Element {
  const { name, emulationVersion, binaryVersion, created, renewedAt, isPinged } = candidate;
  return (
    <tr class={isLeader ? 'leader' : undefined}>
      <td>
        <bdi class="holder">{showText(name)}</bdi>
        {isLeader && <span class="leads">leads</span>}
      </td>
      <td class="number">{showText(emulationVersion || 'none')}</td>
      <td class="number">{showText(binaryVersion || 'none')}</td>
      <td class="number">{created === 0 ? '' : showDuration(now - created)}</td>
      <td class="number">
        {renewedAt === undefined ? 'never' : `${showDuration(now - renewedAt)} ago`}
        {isPinged && <span class="muted"> (asked)</span>}
      </td>
    </tr>
  );
}
