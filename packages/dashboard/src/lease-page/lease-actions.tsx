import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiClient, ApiFailure } from '../api/api-client.js';
import type { Lease } from '../api/kubernetes-objects.js';
import type { ObservedLease } from '../leases/observed-lease.js';
import { mayI } from '../session/who-am-i.js';
import { leasePath } from '../shell/live-leases.js';
import { useServices } from '../shell/services.js';
import { useAsked, useTick } from '../shell/use-live.js';
import { showText } from '../text/show-text.js';
import { type JsonPatch, handOverPatch, releasePatch } from './lease-patches.js';

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

interface DialogProps {
  readonly lease: ObservedLease;
  readonly onClose: () => void;
}

function ReleaseDialog({ lease: given, onClose }: DialogProps): JSX.Element {
  // The state when the dialog opened, which is what the user confirms.
  const lease = useRef(given).current;
  const { clock } = useServices();
  return (
    <ChangeDialog
      {...{ lease, onClose }}
      title="Release the lease"
      action="Release"
      done={`${lease.name} is released.`}
      patch={() => releasePatch(lease.lease, clock.now())}
    >
      <p>
        <Name lease={lease} /> is held by <Holder lease={lease} />. After the release the first candidate takes it, which may be the same
        holder again.
      </p>
      <p class="muted">The holder notices at its next renewal. Until then it may continue its work; fencing protects against that.</p>
    </ChangeDialog>
  );
}

function HandOverDialog({ lease: given, onClose }: DialogProps): JSX.Element {
  const lease = useRef(given).current;
  const { clock } = useServices();
  const [to, setTo] = useState('');
  const earlier = [...new Set(lease.terms.map(({ holder }) => holder))].filter((holder) => holder !== '' && holder !== lease.holder);
  const isReady = to !== '' && to !== lease.holder;
  return (
    <ChangeDialog
      {...{ lease, onClose }}
      title="Hand the lease over"
      action="Hand over"
      done={`${lease.name} is handed over to ${showText(to)}.`}
      isReady={isReady}
      patch={() => handOverPatch(lease.lease, to, clock.now())}
    >
      <p>
        <Name lease={lease} /> is held by <Holder lease={lease} />.
      </p>
      <label class="field">
        <span>New holder, with exactly the identity that it writes itself</span>
        <input
          type="text"
          list="earlier-holders"
          spellcheck={false}
          autocomplete="off"
          autofocus
          value={to}
          onInput={(event) => setTo(event.currentTarget.value)}
        />
      </label>
      <datalist id="earlier-holders">
        {earlier.map((holder) => (
          <option key={holder} value={holder} />
        ))}
      </datalist>
      <p class="muted">
        Its elector notices at its next attempt that it leads. If there is no such process, the lease
        {lease.durationMs === undefined
          ? ' never expires: it has no duration'
          : ` expires after ${lease.durationMs / 1000} s, and another candidate takes it`}
        .
      </p>
    </ChangeDialog>
  );
}

function Name({ lease: { namespace, name } }: { readonly lease: ObservedLease }): JSX.Element {
  return (
    <strong>
      {showText(namespace)}/{showText(name)}
    </strong>
  );
}

function Holder({ lease: { holder } }: { readonly lease: ObservedLease }): JSX.Element {
  return <strong>{holder === '' ? 'nobody' : <bdi>{showText(holder)}</bdi>}</strong>;
}

interface ChangeDialogProps extends DialogProps {
  readonly title: string;
  readonly action: string;
  /** The announcement after success. */
  readonly done: string;
  readonly isReady?: boolean;
  readonly patch: () => JsonPatch;
  readonly children: ComponentChildren;
}

/** Asks for confirmation, changes the lease, and closes; if the server refuses, stays open and shows the reason. */
function ChangeDialog({ lease, title, action, done, isReady = true, patch, children, onClose }: ChangeDialogProps): JSX.Element {
  const { client, clock, announce } = useServices();
  useTick();
  // As for the button that opened the dialog.
  const isSilent = clock.silentMs > 0;
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  useEffect(() => dialog.current?.showModal(), []);
  const change = async (): Promise<void> => {
    setBusy(true);
    try {
      const contentType = 'application/json-patch+json';
      await client.json(leasePath(lease.namespace, lease.name), { method: 'PATCH', contentType, body: patch() });
      announce(done);
      onClose();
    } catch (error) {
      setProblem(await explain(error, client, lease));
      setBusy(false);
    }
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isReady && !isBusy && !isSilent) void change();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="dialog-title" onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id="dialog-title">{title}</h2>
        {children}
        {isSilent && <p class="notice notice-warn">The server does not answer: who holds the lease now is unknown.</p>}
        {problem !== '' && (
          <p class="notice notice-bad" role="alert">
            {problem}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-danger" disabled={!isReady || isBusy || isSilent}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** A failed patch test gets 422 like any other error in a patch; only a look at the lease tells them apart. */
async function explain(error: unknown, client: ApiClient, { namespace, name, holder }: ObservedLease): Promise<string> {
  if (!(error instanceof ApiFailure)) return String(error);
  if (error.status === 409 || error.status === 422) {
    const now = await client.json<Lease>(leasePath(namespace, name)).catch(() => undefined);
    if (now && (now.spec?.holderIdentity ?? '') !== holder) {
      return 'The holder has changed, so the lease was left as it is. Close this dialog and look again.';
    }
  }
  return showText(error.message, 500);
}
