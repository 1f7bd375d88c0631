import { humanDuration } from '../../../apimachinery/go/go-duration.js';
import { printable } from '../../../apimachinery/text/printable.js';
import {
  type ResourceVersionDefinition,
  type TableColumn,
  NO_LIFE,
  defineResource,
} from '../../../registry/resource/resource-definition.js';
import { type RefusedRequest, refusedRequestV1Schema } from './refused-request.schema.js';

const column = (
  name: string,
  description: string,
  cell: TableColumn<RefusedRequest>['cell'],
  { priority = 0, type = 'string' }: Partial<Pick<TableColumn, 'priority' | 'type'>> = {},
): TableColumn<RefusedRequest> => ({
  name,
  type,
  format: '',
  description,
  priority,
  // Whoever reaches the port chooses these texts, and kubectl prints them as they are, but for ESC and line ends.
  cell: (refused, now) => {
    const value = cell(refused, now);
    return typeof value === 'string' ? printable(value) : value;
  },
});

/** The columns that kubectl prints. The id comes last: nobody asks for it first. */
const columns: readonly TableColumn<RefusedRequest>[] = [
  column('Object', 'Name of the lease, or other object.', ({ spec }) => spec.objectName ?? ''),
  column('Verb', 'What was asked for.', ({ spec }) => `${spec.verb} ${spec.resource.split('.')[0] ?? ''}`),
  column('User', 'Who asked.', ({ spec }) => spec.user ?? ''),
  column('Code', 'HTTP status code.', ({ status }) => status.code, { type: 'integer' }),
  column('Cause', 'Why it was refused.', ({ status }) =>
    [status.cause === 'Other' ? status.reason : status.cause, status.field].filter(Boolean).join(': '),
  ),
  column('Count', 'How often.', ({ status }) => status.count, { type: 'integer' }),
  column('Last', 'How long ago the latest was refused.', ({ status }, now) => humanDuration(now - Date.parse(status.lastTime ?? ''))),
  column('Remedy', 'What is likely to help.', ({ status }) => status.remedy ?? ''),
  column('Client', 'User-Agent of the client.', ({ spec }) => spec.userAgent ?? '', { priority: 1 }),
  column('Message', 'The latest message.', ({ status }) => status.message ?? '', { priority: 1 }),
  column('Server', 'Which server refused it.', ({ status }) => status.server, { priority: 1 }),
  column('Name', 'Name of this record.', ({ metadata }) => metadata.name ?? '', { priority: 1 }),
];

/** RefusedRequest in history.coordination-apiserver.dev/v1: the hub's own shape. */
export const refusedRequestV1: ResourceVersionDefinition<RefusedRequest> = { name: 'v1', schema: refusedRequestV1Schema };

/** Who asks in vain (docs/refusals.md). kube-apiserver has no such resource. */
export const refusedRequestDefinition = defineResource<RefusedRequest>({
  group: 'history.coordination-apiserver.dev',
  kind: 'RefusedRequest',
  namespaced: true,
  shortNames: ['refused'],
  verbs: ['get', 'list'],
  versions: [refusedRequestV1],
  strategy: NO_LIFE,
  columns,
  selectableFieldNames: ['spec.objectName', 'spec.user', 'status.code', 'status.cause', 'metadata.namespace', 'metadata.name'],
  selectableFields: ({ spec, status }) => ({
    'spec.objectName': spec.objectName ?? '',
    'spec.user': spec.user ?? '',
    'status.code': String(status.code),
    'status.cause': status.cause,
  }),
});
