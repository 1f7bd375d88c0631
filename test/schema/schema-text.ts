import type pg from 'pg';

const SCHEMA = '$1::oid';

/** The owner, where it is not that of the schema. */
const owner = (column: string) => `
  case when ${column} <> (select nspowner from pg_namespace where oid = ${SCHEMA}) then ' owner ' || pg_get_userbyid(${column}) else '' end`;

/** What others than the owner may do. */
const rights = (acl: string, kind: string, ownerId: string) => `
  (select coalesce(string_agg(format(', %s granted to %s', privileges, grantee), '' order by grantee), '')
   from (select case a.grantee when 0 then 'public' else pg_get_userbyid(a.grantee)::text end as grantee,
                string_agg(lower(a.privilege_type), ', ' order by a.privilege_type) as privileges
         from aclexplode(coalesce(${acl}, acldefault('${kind}', ${ownerId}))) a where a.grantee <> ${ownerId} group by 1) granted)`;

const sorted = (options: string) => `(select string_agg(option, ', ' order by option) from unnest(${options}) option)`;

/** Of the relation `c`, in their order. */
const COLUMNS = `
  select a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attcollation <> t.typcollation then ' collate ' || a.attcollation::regcollation else '' end
      || case when a.attnotnull then ' not null' else '' end
      || case a.attgenerated when '' then coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
              else ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored' end
      || case when a.attstorage <> t.typstorage then ' storage ' || a.attstorage::text else '' end
      || coalesce(' compression ' || nullif(a.attcompression::text, ''), '') || coalesce(' statistics ' || a.attstattarget, '')
      || coalesce(' with ' || a.attoptions::text, '') as text, a.attnum::integer as place
  from pg_attribute a join pg_type t on t.oid = a.atttypid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`;

const CONSTRAINTS = `
  select 'constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid, true), 10000 from pg_constraint k
  where k.conrelid = c.oid and k.contype not in ('n', 't')`;

const list = (parts: string, separator = `E',\\n  '`) =>
  `(select string_agg(text, ${separator} order by place, text) from (${parts}) part)`;

const TRIGGERS = `
  (select coalesce(string_agg(E'\\n' || pg_get_triggerdef(g.oid, true) || ';', '' order by g.tgname), '')
   from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal)`;

const TYPES = `
  select 'create type ' || c.relname || E' as (\\n  ' || ${list(COLUMNS)} || E'\\n);' || ${owner('c.relowner')} as text
  from pg_class c where c.relnamespace = ${SCHEMA} and c.relkind = 'c' order by c.relname`;

const TABLES = `
  select case c.relpersistence when 'u' then 'create unlogged table ' else 'create table ' end || c.relname
      || case when c.relispartition then ' partition of ' || i.inhparent::regclass || ' ' || pg_get_expr(c.relpartbound, c.oid)
              else ' (' || coalesce(E'\\n  ' || ${list(`${COLUMNS} union all ${CONSTRAINTS}`)} || E'\\n', '') || ')' end
      || coalesce(' partition by ' || pg_get_partkeydef(c.oid), '')
      || coalesce(' with (' || nullif(concat_ws(', ', ${sorted('c.reloptions')}, 'toast: ' || ${sorted('toast.reloptions')}), '') || ')', '')
      || ';' || coalesce(' --' || nullif(${owner('c.relowner')} || ${rights('c.relacl', 'r', 'c.relowner')}, ''), '')
      || (select coalesce(string_agg(E'\\n' || pg_get_indexdef(x.indexrelid, 0, true) || ';', '' order by x.indexrelid::regclass::text), '')
          from pg_index x
          where x.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = x.indexrelid and k.conrelid = c.oid)
            and not exists (select from pg_inherits p where p.inhrelid = x.indexrelid))
      || case c.relreplident when 'd' then '' else format(E'\\nalter table %s replica identity %s;', c.relname, case c.relreplident
           when 'f' then 'full' when 'n' then 'nothing'
           else 'using index ' || (select x.indexrelid::regclass from pg_index x where x.indrelid = c.oid and x.indisreplident) end) end
      || case when c.relrowsecurity then E'\\n-- row security' else '' end
      || ${TRIGGERS} as text
  from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class toast on toast.oid = c.reltoastrelid
  where c.relnamespace = ${SCHEMA} and c.relkind not in ('c', 'i', 'I', 'v') order by c.relname`;

const digest = (text: string) => `left(md5(${text}), 8)`;

const VIEWS = `
  select '-- view ' || c.relname || '(' || ${list(COLUMNS, "', '")} || '): ' || ${digest('pg_get_viewdef(c.oid, true)')}
      || coalesce(', ' || ${sorted('c.reloptions')}, '') || ${owner('c.relowner')} || ${rights('c.relacl', 'r', 'c.relowner')} || ${TRIGGERS} as text
  from pg_class c where c.relnamespace = ${SCHEMA} and c.relkind = 'v' order by c.relname`;

const BODY = `regexp_replace(regexp_replace(p.prosrc, '(^|\\s)--[^\\n]*', '', 'g'), '\\s+', '', 'g')`;

const FUNCTIONS = `
  select '-- ' || case p.prokind when 'p' then 'procedure ' else 'function ' end || p.proname || '(' || pg_get_function_arguments(p.oid) || ')'
      || coalesce(' returns ' || pg_get_function_result(p.oid), '') || ': ' || concat_ws(', ',
           ${digest(BODY)}, (select lanname from pg_language l where l.oid = p.prolang),
           case p.provolatile when 'i' then 'immutable' when 's' then 'stable' end, case when p.proisstrict then 'strict' end,
           case when p.prosecdef then 'security definer' end, case when p.proleakproof then 'leakproof' end,
           case when p.proparallel <> 'u' then 'parallel ' || p.proparallel::text end, case when p.procost <> 100 then 'cost ' || p.procost end,
           case when p.prorows not in (0, 1000) then 'rows ' || p.prorows end, ${sorted('p.proconfig')})
      || ${owner('p.proowner')} || ${rights('p.proacl', 'f', 'p.proowner')} as text
  from pg_proc p where p.pronamespace = ${SCHEMA} order by p.proname, pg_get_function_identity_arguments(p.oid)`;

/** `client` has the schemas as its search_path. */
export async function schemaText(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ oid: string; name: string }>(
    'select oid, nspname as name from pg_namespace where nspname = any (current_schemas(false)) order by array_position(current_schemas(false), nspname)',
  );
  const parts: string[] = [];
  for (const { oid, name } of rows) {
    const texts = async (query: string) => (await client.query<{ text: string }>(query, [oid])).rows.map(({ text }) => text);
    const relations = [await texts(TYPES), await texts(TABLES), await texts(VIEWS)].flat();
    parts.push(`create schema ${name};`, ...relations, (await texts(FUNCTIONS)).join('\n'));
  }
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
