import { sqlStatement } from '../../database/statement/statement.js';
import type { LineageMark } from '../lineage/lineage-mark.js';
import { MARK_COLUMNS } from '../lineage/lineage-mark.js';
import { FIRST_CHANGES } from './first-changes.js';

/** The number of objects in a range at revision $5, by the same pass as `list-historical-states.ts` without reading states. One row. */
export const COUNT_HISTORICAL_STATES = sqlStatement<
  LineageMark & { readonly compacted: number; readonly objects: number },
  readonly [resource: string, from: string, to: string, segment: number, revision: number]
>(
  'count_historical_states',
  `
    select ${MARK_COLUMNS}, compaction.revision as compacted,
           (select count(*) from (${FIRST_CHANGES}) first where kind is distinct from 'A') as objects
    from compaction cross join revision_counter counter`,
);
