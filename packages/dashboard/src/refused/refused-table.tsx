import type { JSX } from 'preact';
import type { ApiFailure } from '../api/api-client.js';
import type { RefusedRequest } from '../api/kubernetes-objects.js';
import { timeOf } from '../leases/observe-lease.js';
import { CopyLine } from '../shell/copy-line.js';
import { HISTORY } from '../terms/read-terms.js';
import { showText } from '../text/show-text.js';
import { showDuration } from '../text/show-time.js';

interface RefusedTableProps {
  readonly refused: readonly RefusedRequest[];
  readonly now: number;
  /** What the requests were for; absent where the page says it. */
  readonly subject?: (refused: RefusedRequest) => JSX.Element;
}

/** Who was refused, why, how often, and what helps. */
export function RefusedTable({ refused, now, subject }: RefusedTableProps): JSX.Element {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Refused requests">
      <table class="plain stacks">
        <thead>
          <tr>
            {subject && <th scope="col">Lease</th>}
            <th scope="col">Who</th>
            <th scope="col">Request</th>
            <th scope="col">Cause, and what helps</th>
            <th scope="col">Count</th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          {refused.map((each) => (
            <Row key={each.metadata.name} {...{ each, now, subject }} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function whoOf({ user }: NonNullable<RefusedRequest['spec']>, { code = 0 }: NonNullable<RefusedRequest['status']>): string {
  return code >= 500 ? 'everybody' : showText(user || 'unknown', 100);
}

interface RowProps extends Pick<RefusedTableProps, 'now' | 'subject'> {
  readonly each: RefusedRequest;
}

function Row({ each: { spec = {}, status = {}, ...refused }, now, subject }: RowProps): JSX.Element {
  return (
    <tr>
      {subject && (
        <td class="named" data-label="Lease">
          {subject({ ...refused, spec, status })}
        </td>
      )}
      <td class="named" data-label="Who">
        <bdi>{whoOf(spec, status)}</bdi>
        <div class="muted">{showText(spec.userAgent ?? '', 80)}</div>
      </td>
      <td class="number" data-label="Request">
        {showText(`${spec.verb} ${spec.resource?.split('.')[0]}`)}
        <div class="muted">by {showText(`${status.server}`)}</div>
      </td>
      <td class="wide" data-label="Cause">
        <strong>{status.waiting ? 'waits' : showText(`${status.code} ${status.cause}`)}</strong> {showText(status.field ?? '')}
        <div>{showText(status.remedy || status.message || '', 500)}</div>
      </td>
      <td class="number" data-label="Count">
        {status.count?.toLocaleString('en')}
      </td>
      <td class="number" data-label="Last">
        {showDuration(Math.max(0, now - (timeOf(status.lastTime) ?? now)))} ago
      </td>
    </tr>
  );
}

/** Why it cannot be told who was refused. */
export function RefusedFailure({ failure: { status, message } }: { readonly failure: ApiFailure }): JSX.Element {
  if (status === 404) {
    return (
      <div class="notice">
        <p>
          This server does not say whose requests it refuses; it does unless --runtime-config turns it off; restart it with this flag
          instead:
        </p>
        <CopyLine line={`--runtime-config=${HISTORY}=true`} label="the flag that serves refused requests" />
      </div>
    );
  }
  return (
    <p class="notice notice-warn">
      {status === 403 ? 'You may not see who was refused: that takes the right to list refusedrequests. ' : ''}
      {showText(message, 300)}
    </p>
  );
}
