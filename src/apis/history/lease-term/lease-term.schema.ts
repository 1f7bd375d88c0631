import { objectFields } from '../../../apimachinery/meta/object-meta.schema.js';
import { type TypeOf, bool, field, int32, microTime, requiredField, string, struct } from '../../../apimachinery/schema/struct-type.js';
import type { TermEnd } from '../../../storage/term-change.js';

const V1 = 'dev.coordination-apiserver.history.v1';

const PHASES = ['Held', 'Ended'] as const;
const REASONS = ['Released', 'Forced', 'Replaced', 'HandedOver', 'Expired', 'Deleted', 'Unknown'] as const satisfies readonly TermEnd[];

/** history.coordination-apiserver.dev/v1 LeaseTermSpec. */
const leaseTermSpecV1Schema = struct(`${V1}.LeaseTermSpec`, 'Who held which lease, and since when.', [
  requiredField('leaseName', 1, string(), 'Name of the lease, in the namespace of the term.'),
  requiredField('leaseUID', 2, string('types.UID'), 'UID of the lease, which differs between leases of one name.'),
  requiredField('holder', 3, string(), 'HolderIdentity of the lease during the term; cut after 600 characters.'),
  requiredField('fencingToken', 4, string(), 'ResourceVersion of the write that began the term. It grows with every term of any lease.'),
  requiredField('from', 5, microTime(), "When the term began, by the database's clock."),
  field(
    'leaseDurationSeconds',
    6,
    int32(),
    'optional',
    'LeaseDurationSeconds of the lease: at the beginning, and once the term has ended, at its end.',
  ),
  field('leaseTransitions', 7, int32(), 'optional', 'LeaseTransitions of the lease when the term began.'),
]);

/** history.coordination-apiserver.dev/v1 LeaseTermStatus. */
const leaseTermStatusV1Schema = struct(`${V1}.LeaseTermStatus`, 'What became of a term.', [
  requiredField('phase', 1, string('v1.LeaseTermPhase', PHASES), 'Held, even while the holder is late with its renewal; or Ended.'),
  field('until', 2, microTime(), 'optional', "When the term ended, by the database's clock."),
  field(
    'reason',
    3,
    string('v1.LeaseTermEnd', REASONS),
    'omitEmpty',
    'Why it ended: the holder let go (Released), its lock was forced open over HTTP (Forced), it made way for the preferred holder ' +
      '(HandedOver), another one wrote itself into the lease in time (Replaced) or after the time was over (Expired), the lease was deleted (Deleted), or nobody recorded it (Unknown).',
  ),
  field('lastRenewTime', 4, microTime(), 'optional', "RenewTime of the lease when the term ended, by the holder's clock."),
  field(
    'lapsed',
    5,
    bool(),
    'omitEmpty',
    'Whether the holder is late: its time is over, and it has not renewed; or was late when the term ended. A holder that renews late goes ' +
      'on with its term.',
  ),
  field('lapsedAt', 6, microTime(), 'optional', 'When the time of the holder was over for the last time.'),
  field('lapses', 7, int32(), 'omitEmpty', 'How many times it was over.'),
]);

/** history.coordination-apiserver.dev/v1 LeaseTerm. */
export const leaseTermV1Schema = struct(
  `${V1}.LeaseTerm`,
  'A term of leadership: the time from acquiring a lease to losing it. The server writes terms; clients only read them.',
  [
    ...objectFields('Standard metadata of the object. Labels are those of the lease when the term began.'),
    requiredField('spec', 2, leaseTermSpecV1Schema, 'Who held which lease.'),
    requiredField('status', 3, leaseTermStatusV1Schema, 'What became of the term.'),
  ],
);

/** The hub type of terms; it has the shape of v1. The store composes it (migrations/functions/terms.sql). */
export type LeaseTerm = TypeOf<typeof leaseTermV1Schema>;
