import { createdAtColumn, nameColumn } from '../../../registry/resource/metadata-columns.js';
import type { TableColumn } from '../../../registry/resource/resource-definition.js';
import type { ClusterRole } from './cluster-role.js';

/** The columns that kubectl prints for cluster roles. */
export const clusterRoleColumns: readonly TableColumn<ClusterRole>[] = [nameColumn, createdAtColumn];
