import { humanDuration } from '../../../apimachinery/go/go-duration.js';
import { printable } from '../../../apimachinery/text/printable.js';
import { type TableColumn, nameColumn, textColumn } from '../../../registry/resource/resource-definition.js';
import type { LeaseTerm } from './lease-term.schema.js';

const column = (name: string, priority: number, description: string, cell: TableColumn<LeaseTerm>['cell']): TableColumn<LeaseTerm> =>
  // A bookmark has only metadata.
  textColumn(name, description, (term, now) => ('spec' in term ? cell(term, now) : ''), priority);

/** The columns that kubectl prints for terms. */
export const leaseTermColumns: readonly TableColumn<LeaseTerm>[] = [
  { ...nameColumn, description: 'Name of the term: that of its lease, and the fencing token.' },
  column('Lease', 0, 'Name of the lease.', ({ spec }) => spec.leaseName),
  column('Holder', 0, 'Who held it.', ({ spec }) => printable(spec.holder)),
  column('Phase', 0, 'Held or Ended; of a holder that is late: Held, lapsed.', ({ status }) =>
    status.lapsed && status.phase === 'Held' ? 'Held, lapsed' : status.phase,
  ),
  column('Reason', 0, 'Why the term ended.', ({ status }) => status.reason ?? ''),
  column('Since', 0, 'How long ago it began.', ({ spec }, now) => humanDuration(now - Date.parse(spec.from ?? ''))),
  column('Duration', 0, 'How long it lasted, or has lasted so far.', ({ spec, status }, now) =>
    humanDuration((status.until ? Date.parse(status.until) : now) - Date.parse(spec.from ?? '')),
  ),
  column('From', 1, 'When it began.', ({ spec }) => spec.from ?? ''),
  column('Until', 1, 'When it ended.', ({ status }) => status.until ?? ''),
  column('Lapsed', 1, 'When the time of the holder was over for the last time.', ({ status }) => status.lapsedAt ?? ''),
  column('Lapses', 1, 'How many times it was over.', ({ status }) => String(status.lapses ?? 0)),
];
