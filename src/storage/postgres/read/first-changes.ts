/**
 * SQL: each path in the range $1 (resource), $2 (from), $3 (to) that exists now or changed after revision $5, with its first such change,
 * if any. $4: the segment of that revision. One pass in path order, because joining changed with existing paths costs the product of the
 * two if the tables have no statistics.
 */
export const FIRST_CHANGES = `
      select distinct on (path) path, change, segment, kind
      from (
        select path, revision as change, segment, kind from revision_log
        where segment >= $4 and resource = $1 and path >= $2 and path < $3 and revision > $5
        union all
        select path, null, null, null from objects where resource = $1 and path >= $2 and path < $3
      ) either
      order by path, change`;
