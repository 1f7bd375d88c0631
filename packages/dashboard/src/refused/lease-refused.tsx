import type { JSX } from 'preact';
import type { RefusedRequest } from '../api/kubernetes-objects.js';
import { useServices } from '../shell/services.js';
import type { Asked } from '../shell/use-live.js';
import { showText } from '../text/show-text.js';
import { askedInVain } from './asked-in-vain.js';
import { RefusedFailure, RefusedTable } from './refused-table.js';

/** Refused requests for one lease, whether or not it exists. */
export function LeaseRefused({ answer, failure }: Asked<readonly RefusedRequest[]>): JSX.Element {
  const { clock } = useServices();
  const now = clock.now();
  const asked = answer && askedInVain(answer, now);
  return (
    <section class="card overview-wide" aria-labelledby="refused-title">
      <h2 id="refused-title">Asked in vain</h2>
      {failure && <RefusedFailure failure={failure} />}
      {asked && (
        <p role="status">
          {asked.sentence}
          {asked.remedy === '' ? '.' : `: ${showText(asked.remedy, 500)}`}
        </p>
      )}
      {answer?.length === 0 && (
        <p class="muted">Nobody was refused within the last hour. Whoever merely reads the lease and waits is not counted.</p>
      )}
      {answer && answer.length > 0 && <RefusedTable refused={answer} now={now} />}
    </section>
  );
}
