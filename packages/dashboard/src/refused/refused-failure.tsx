import type { JSX } from 'preact';
import type { ApiFailure } from '../api/api-failure.js';
import { CopyLine } from '../shell/copy-line.js';
import { HISTORY } from '../terms/read-terms.js';
import { showText } from '../text/show-text.js';

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
