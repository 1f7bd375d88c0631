import { createdAtColumn, nameColumn } from '../../../registry/resource/metadata-columns.js';
import type { TableColumn } from '../../../registry/resource/resource-definition.js';
import type { Role } from './role.js';

/** The columns that kubectl prints for roles. */
export const roleColumns: readonly TableColumn<Role>[] = [nameColumn, createdAtColumn];
