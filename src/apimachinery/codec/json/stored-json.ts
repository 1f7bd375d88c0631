/**
 * Objects are stored as their canonical JSON without metadata.resourceVersion. Answers in the stored version are made from that
 * text by splicing, without parsing it.
 */
const UID = '"uid":"';

/**
 * The stored object with its resourceVersion at the canonical place, right after metadata.uid. The object must have passed
 * validation: the fields before uid (kind, apiVersion, name, generateName, namespace, selfLink) then hold no quotes.
 */
export function spliceResourceVersion(json: string, revision: number): string {
  const uid = json.indexOf(UID);
  const end = uid < 0 ? -1 : json.indexOf('"', uid + UID.length);
  if (end < 0) throw new Error('a stored object has no metadata.uid');
  return `${json.slice(0, end + 1)},"resourceVersion":"${revision}"${json.slice(end + 1)}`;
}

const METADATA = '"metadata":';

/** An object's JSON without kind and apiVersion, as it stands in a list. */
export function withoutTypeMeta(json: string): string {
  const metadata = json.indexOf(METADATA);
  if (metadata < 0) throw new Error('an object has no metadata');
  return `{${json.slice(metadata)}`;
}
