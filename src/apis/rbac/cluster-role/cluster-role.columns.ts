import { createdAtColumn, nameColumn } from '../../../registry/metadata-columns.js';
import type { TableColumn } from '../../../registry/resource-definition.js';
import type { ClusterRole } from './cluster-role.js';

/** What kubectl prints of cluster roles. */
export const clusterRoleColumns: readonly TableColumn<ClusterRole>[] = [nameColumn, createdAtColumn];
