import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ObservedLease } from '../leases/observed-lease.js';
import { mayI } from '../session/may-i.js';
import { useAsked } from '../shell/use-asked.js';
import { useServices } from '../shell/services.js';
import { HandOverDialog, ReleaseDialog } from './change-dialogs.js';

/** The actions that the user may take on a lease, each with a confirmation. */
export function LeaseActions({ lease }: { readonly lease: ObservedLease }): JSX.Element {
  const { client, clock } = useServices();
  const { namespace, name, holder } = lease;
  const [open, setOpen] = useState<'release' | 'hand-over' | undefined>(undefined);
  const { answer: may } = useAsked(`${namespace}/${name}`, (signal) =>
    mayI(client, { group: 'coordination.k8s.io', resource: 'leases', verb: 'patch', namespace, name }, signal),
  );
  // Nobody should decide by what was true some time ago.
  const isSilent = clock.silentMs > 0;
  const isCoordinated = Boolean(lease.lease.spec?.strategy);
  const close = (): void => setOpen(undefined);
  return (
    <div class="actions">
      {may === false && <span class="muted">You may not change this lease.</span>}
      {may === true && (
        <>
          {!isCoordinated && (
            <button type="button" class="button" disabled={isSilent} onClick={() => setOpen('hand-over')}>
              Hand over…
            </button>
          )}
          <button type="button" class="button button-danger" disabled={isSilent || holder === ''} onClick={() => setOpen('release')}>
            Release…
          </button>
        </>
      )}
      {open === 'release' && <ReleaseDialog lease={lease} onClose={close} />}
      {open === 'hand-over' && <HandOverDialog lease={lease} onClose={close} />}
    </div>
  );
}
