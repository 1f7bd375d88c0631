import type { JSX } from 'preact';
import { useServices } from '../shell/services.js';
import { showText } from '../text/show-text.js';
import { Moment } from '../text/moment.js';
import { showDuration } from '../text/show-time.js';
import type { Change } from './term-change.js';

/** Changes of leases in words, the latest first. */
export function ChangeList({ changes, named }: { readonly changes: readonly Change[]; readonly named: boolean }): JSX.Element {
  const { clock, href } = useServices();
  return (
    <div class="card table-scroll" tabIndex={0} role="region" aria-label="Changes">
      <table class="plain stacks">
        <thead>
          <tr>
            <th scope="col">At (UTC)</th>
            {named && <th scope="col">Lease</th>}
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={`${change.namespace}/${change.name} ${change.at} ${change.what} ${change.holder}`}>
              <td class="number" data-unit>
                <Moment at={change.at} now={clock.now()} />
              </td>
              {named && (
                <td class="named">
                  <a href={href({ page: 'lease', namespace: change.namespace, name: change.name, tab: 'terms' })}>
                    <span class="namespace">{showText(change.namespace)}/</span>
                    <bdi>{showText(change.name)}</bdi>
                  </a>
                </td>
              )}
              <td class="wide">{inWords(change)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inWords({ what, holder, before, silentMs }: Change): JSX.Element {
  const now = <bdi class="holder">{showText(holder)}</bdi>;
  const former = <bdi class="holder">{showText(before)}</bdi>;
  const silence = silentMs === undefined ? '' : `, ${showDuration(silentMs)} after the last renewal`;
  switch (what) {
    case 'created':
      return <>created without a holder</>;
    case 'deleted':
      return before === '' ? <>deleted</> : <>deleted; {former} held it</>;
    case 'acquired':
      if (before === '' || silentMs === undefined) return <>acquired by {now}</>;
      return (
        <>
          acquired by {now}, {showDuration(silentMs)} after {former} had let go
        </>
      );
    case 'taken-over':
      return (
        <>
          taken over by {now} from {former}
          {silence}
        </>
      );
    case 'replaced':
      return (
        <>
          taken by {now} from {former}, whose time was not over
        </>
      );
    case 'handed-over':
      return (
        <>
          handed over by {former} to {now}
        </>
      );
    case 'released':
      return <>released by {former}</>;
    case 'lapsed':
      return <>lapsed: {now} did not renew in time</>;
    case 'late':
      return (
        <>
          renewed late by {now}
          {silence}
        </>
      );
  }
}
