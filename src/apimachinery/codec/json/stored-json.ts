/**
 * Objects are stored as canonical JSON without metadata.resourceVersion. Responses in the storage version are spliced from that text
 * without parsing it.
 */
const UID = '"uid":"';

/**
 * Inserts the resourceVersion into a stored object at its canonical place, right after metadata.uid. The object must have passed
 * validation: the fields before uid (kind, apiVersion, name, generateName, namespace, selfLink) then contain no quotes.
 */
export function spliceResourceVersion(json: string, revision: number): string {
  const end = uidEnd(json, 0);
  return `${json.slice(0, end)},"resourceVersion":"${revision}"${json.slice(end)}`;
}

const METADATA = '"metadata":';

/** Like `spliceResourceVersion`, without kind and apiVersion, as in a list. Revision 0: no resourceVersion. */
export function storedListItem(json: string, revision: number): string {
  const metadata = json.indexOf(METADATA);
  if (metadata < 0) throw new Error('an object has no metadata');
  if (revision === 0) return `{${json.slice(metadata)}`;
  const end = uidEnd(json, metadata);
  return `{${json.slice(metadata, end)},"resourceVersion":"${revision}"${json.slice(end)}`;
}

/** Index after metadata.uid. */
function uidEnd(json: string, from: number): number {
  const uid = json.indexOf(UID, from);
  const end = uid < 0 ? -1 : json.indexOf('"', uid + UID.length);
  if (end < 0) throw new Error('a stored object has no metadata.uid');
  return end + 1;
}
