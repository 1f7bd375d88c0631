interface Shown {
  metadata?: { managedFields?: unknown };
  items?: Shown[] | null;
  rows?: { object?: Shown }[] | null;
}

/** Removes metadata.managedFields from the JSON of an object, a list or a Table. */
export function withoutManagedFields(json: string): string {
  if (!json.includes('"managedFields"')) return json;
  const shown = JSON.parse(json) as Shown;
  strip(shown);
  for (const item of shown.items ?? []) strip(item);
  for (const { object } of shown.rows ?? []) strip(object);
  return JSON.stringify(shown);
}

function strip(object: Shown | null | undefined): void {
  if (object?.metadata) delete object.metadata.managedFields;
}
