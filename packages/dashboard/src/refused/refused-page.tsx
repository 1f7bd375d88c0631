import type { JSX } from 'preact';
import type { ObjectList, RefusedRequest } from '../api/kubernetes-objects.js';
import { useServices } from '../shell/services.js';
import { type Asked, useAsked, useLive } from '../shell/use-live.js';
import { HISTORY } from '../terms/read-terms.js';
import { LeaseName } from '../text/lease-name.js';
import { showText } from '../text/show-text.js';
import { RefusedFailure, RefusedTable } from './refused-table.js';

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

const EVERY_MS = 5000;

/** What the server refused within the last hour, the latest first: for one name in a namespace, or in a namespace, or ('') in all. */
export function useRefused(namespace: string, name = ''): Asked<readonly RefusedRequest[]> {
  const { client } = useServices();
  return useAsked(
    `${namespace}/${name}`,
    async (signal) => {
      const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
      const query = name === '' ? '' : `?${new URLSearchParams({ fieldSelector: `spec.objectName=${name}` }).toString()}`;
      const { items = [] } = await client.json<ObjectList<RefusedRequest>>(`/apis/${HISTORY}${scope}/refusedrequests${query}`, { signal });
      return items;
    },
    EVERY_MS,
  );
}
