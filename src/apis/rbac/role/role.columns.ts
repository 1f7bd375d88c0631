import { createdAtColumn, nameColumn } from '../../../registry/metadata-columns.js';
import type { TableColumn } from '../../../registry/resource-definition.js';
import type { Role } from './role.js';

/** What kubectl prints of roles. */
export const roleColumns: readonly TableColumn<Role>[] = [nameColumn, createdAtColumn];
