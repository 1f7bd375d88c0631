import type { JSX } from 'preact';
import type { CoreEvent, ObjectList } from '../api/kubernetes-objects.js';
import { timeOf } from '../leases/observe-lease.js';
import type { ObservedLease } from '../leases/observed-lease.js';
import { useAsked } from '../shell/use-live.js';
import { useServices } from '../shell/services.js';
import { showText } from '../text/show-text.js';
import { showDuration } from '../text/show-time.js';

const EVERY_MS = 5000;
const MOST = 200;

/** The events that clients and controllers have recorded about the lease; the latest first. */
export function LeaseEvents({ lease: { namespace, name } }: { readonly lease: ObservedLease }): JSX.Element {
  const { client, clock } = useServices();
  const { answer, failure } = useAsked(
    `${namespace}/${name}`,
    async (signal) => {
      const query = new URLSearchParams({ fieldSelector: `involvedObject.kind=Lease,involvedObject.name=${name}`, limit: String(MOST) });
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events?${query.toString()}`;
      const { items = [] } = await client.json<ObjectList<CoreEvent>>(path, { signal });
      return [...items].sort((a, b) => lastTime(b) - lastTime(a));
    },
    EVERY_MS,
  );
  if (failure && !answer) return <p class="notice notice-warn">{showText(failure.message, 500)}</p>;
  if (!answer) return <p class="muted">Loading events…</p>;
  if (answer.length === 0) {
    return (
      <div class="empty card">
        <h2>No events</h2>
        <p class="muted">
          Electors such as client-go’s record one when they become leader, if they are given a recorder. Events end after an hour.
        </p>
      </div>
    );
  }
  return <EventTable events={answer} now={clock.now()} />;
}

function EventTable({ events, now }: { readonly events: readonly CoreEvent[]; readonly now: number }): JSX.Element {
  return (
    <div class="card table-scroll" tabIndex={0} role="region" aria-label="Events">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Last</th>
            <th scope="col">Type</th>
            <th scope="col">Reason</th>
            <th scope="col">Message</th>
            <th scope="col">From</th>
            <th scope="col">Count</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.metadata.uid ?? event.metadata.name}>
              <td class="number">{lastTime(event) === 0 ? '' : `${showDuration(now - lastTime(event))} ago`}</td>
              <td>{showText(event.type ?? '')}</td>
              <td>{showText(event.reason ?? '')}</td>
              <td class="wide">
                <bdi>{showText(event.message ?? '', 500)}</bdi>
              </td>
              <td>{showText(event.source?.component || event.reportingComponent || '')}</td>
              <td class="number">{event.count ?? 1}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function lastTime({ lastTimestamp, eventTime, firstTimestamp, metadata }: CoreEvent): number {
  return timeOf(lastTimestamp) ?? timeOf(eventTime) ?? timeOf(firstTimestamp) ?? timeOf(metadata.creationTimestamp) ?? 0;
}
