import type { JSX } from 'preact';
import type { ObservedLease } from '../leases/observed-lease.js';
import { useServices } from '../shell/services.js';
import { showText } from '../text/show-text.js';
import { fieldPaths } from './field-paths.js';
import { moment } from './lease-overview.js';

/** The field managers and the fields that each one owns. */
export function LeaseFields({ lease }: { readonly lease: ObservedLease }): JSX.Element {
  const { clock } = useServices();
  const entries = lease.lease.metadata.managedFields ?? [];
  if (entries.length === 0) return <p class="muted">The lease has no managed fields.</p>;
  return (
    <div class="card table-scroll" tabIndex={0} role="region" aria-label="Managed fields">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Manager</th>
            <th scope="col">Operation</th>
            <th scope="col">Last write</th>
            <th scope="col">Fields</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry, at) => (
            <tr key={at}>
              <td>
                <bdi>{showText(entry.manager ?? '')}</bdi>
              </td>
              <td>{showText(entry.operation ?? '')}</td>
              <td class="number">{moment(entry.time, clock.now())}</td>
              <td class="wide">
                <ul class="fields">
                  {fieldPaths(entry.fieldsV1).map((path) => (
                    <li key={path}>
                      <code>{showText(path)}</code>
                    </li>
                  ))}
                </ul>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
