import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ObservedLease } from '../leases/observed-lease.js';
import { CopyButton } from '../shell/copy-line.js';
import { leasePath } from '../shell/live-leases.js';
import { useAsked } from '../shell/use-live.js';
import { useServices } from '../shell/services.js';
import { showText } from '../text/show-text.js';
import { withoutManagedFields } from './without-managed-fields.js';

/** The lease as YAML, written by the server; a snapshot until the user reloads it. */
export function LeaseYaml({ lease }: { readonly lease: ObservedLease }): JSX.Element {
  const { client } = useServices();
  const [turn, setTurn] = useState(0);
  const [all, setAll] = useState(false);
  const { namespace, name } = lease;
  const { answer, failure } = useAsked(`${namespace}/${name}/${turn}`, (signal) =>
    client.text(leasePath(namespace, name), { accept: 'application/yaml', signal }),
  );
  const [shown, setShown] = useState('');
  useEffect(() => {
    if (answer !== undefined) setShown(answer);
  }, [answer]);
  return (
    <div class="card">
      <div class="yaml-bar">
        <label class="check">
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
          <span>managedFields</span>
        </label>
        <button type="button" class="button" onClick={() => setTurn(turn + 1)}>
          Reload
        </button>
        <CopyButton text={all ? shown : withoutManagedFields(shown)} label="the YAML" />
      </div>
      {failure && <p class="notice notice-warn">{showText(failure.message, 500)}</p>}
      <pre class="yaml" tabIndex={0} aria-label="The lease as YAML">
        {lines(all ? shown : withoutManagedFields(shown))}
      </pre>
    </div>
  );
}

function lines(text: string): string {
  return text
    .split('\n')
    .map((line) => showText(line, 2000))
    .join('\n');
}
