import type { JSX } from 'preact';
import type { RefusedRequest } from '../api/kubernetes-objects.js';
import { useServices } from '../shell/services.js';
import { useLive } from '../shell/use-live.js';
import { LeaseName } from '../text/lease-name.js';
import { showText } from '../text/show-text.js';
import { RefusedFailure } from './refused-failure.js';
import { RefusedTable } from './refused-table.js';
import { useRefused } from './use-refused.js';

/** All refused requests: also those for names that never became a lease. */
export function RefusedPage(): JSX.Element {
  const { clock, route, live } = useServices();
  useLive(live.changed);
  const { answer, failure } = useRefused(route.scope);
  return (
    <>
      <div class="page-title">
        <h1>Refused</h1>
        <p class="muted">
          Whose requests for leases were refused within the last hour, by the server that responded; other replicas know of their own.
        </p>
      </div>
      {failure && <RefusedFailure failure={failure} />}
      {!answer && !failure && <p class="muted">Loading…</p>}
      {answer?.length === 0 && (
        <div class="empty card">
          <h2>Nobody was refused</h2>
          <p class="muted">Names that no lease may have, missing rights, wrong times: whoever asks in vain appears here.</p>
        </div>
      )}
      {answer && answer.length > 0 && (
        <section class="card" aria-label="Requests">
          <RefusedTable refused={answer} now={clock.now()} subject={(refused) => <Subject refused={refused} />} />
        </section>
      )}
    </>
  );
}

function Subject({ refused: { metadata, spec, status: refused = {} } }: { readonly refused: RefusedRequest }): JSX.Element {
  const { href, live } = useServices();
  const { namespace = '' } = metadata;
  const { objectName: name = '' } = spec ?? {};
  if ((refused.code ?? 0) >= 500) return <span class="muted">all in {showText(namespace)}</span>;
  if (name === '') return <span class="muted">unknown: the body was not read</span>;
  const isUnknown = live.store.loaded && !live.store.leases.has(`${namespace}/${name}`);
  return (
    <>
      <a href={href({ page: 'lease', namespace, name, tab: 'overview' })}>
        <LeaseName {...{ namespace, name }} />
      </a>
      {isUnknown && <div class="muted">no such lease</div>}
    </>
  );
}
