import { ApiError } from '../../errors/api-error.js';
import { quote } from '../../go/quote.js';
import { compareText } from '../../go/compare-text.js';
import type { FieldSet } from '../fieldpath/field-set.js';
import { type ManagerState, managerIdentity } from '../managers/managed-fields-entry.js';
import { renderPath } from '../fieldpath/path-element.js';

/** The paths of another manager that an apply would change. */
export interface ManagerConflict {
  readonly owner: ManagerState;
  readonly paths: FieldSet;
}

/** The conflicts of an apply without force. The caller decides whether they become a 409. */
export class ApplyConflict extends Error {
  override readonly name = 'ApplyConflict';
  readonly conflicts: readonly ManagerConflict[];

  constructor(conflicts: readonly ManagerConflict[]) {
    super('apply conflict');
    this.conflicts = [...conflicts].sort((a, b) => compareText(managerIdentity(a.owner), managerIdentity(b.owner)));
  }

  /** The conflicts whose paths are not in `allowed`; undefined if none are left. */
  without(allowed: FieldSet): ApplyConflict | undefined {
    const left = this.conflicts
      .map(({ owner, paths }) => ({ owner, paths: paths.difference(allowed) }))
      .filter(({ paths }) => !paths.isEmpty);
    return left.length === 0 ? undefined : new ApplyConflict(left);
  }

  /** The 409 of apimachinery pkg/util/managedfields/internal/conflict.go, with a cause for each path. */
  toApiError(): ApiError {
    const found = this.conflicts.map(({ owner, paths }) => ({ owner: renderOwner(owner), fields: [...paths.paths()].map(renderPath) }));
    const causes = found.flatMap(({ owner, fields }) =>
      fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
    );
    const lines = found.flatMap(({ owner, fields }) => [`conflicts with ${owner}:`, ...fields.map((field) => `- ${field}`)]);
    const [only] = causes;
    const message =
      only !== undefined && causes.length === 1
        ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
        : `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`;
    return new ApiError({ code: 409, reason: 'Conflict', message, details: { causes } });
  }
}

function renderOwner({ manager, subresource, operation, apiVersion }: ManagerState): string {
  const name = subresource === '' ? quote(manager) : `${quote(manager)} with subresource ${quote(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
