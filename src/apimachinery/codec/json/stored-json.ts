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
  const end = uidEnd(json, 0);
  return `${json.slice(0, end)},"resourceVersion":"${revision}"${json.slice(end)}`;
}

const METADATA = '"metadata":';

/** The same without kind and apiVersion, as it stands in a list. Revision 0: no resourceVersion. */
export function storedListItem(json: string, revision: number): string {
  const metadata = json.indexOf(METADATA);
  if (metadata < 0) throw new Error('an object has no metadata');
  if (revision === 0) return `{${json.slice(metadata)}`;
  const end = uidEnd(json, metadata);
  return `{${json.slice(metadata, end)},"resourceVersion":"${revision}"${json.slice(end)}`;
}

/** Index behind metadata.uid. */
function uidEnd(json: string, from: number): number {
  const uid = json.indexOf(UID, from);
  const end = uid < 0 ? -1 : json.indexOf('"', uid + UID.length);
  if (end < 0) throw new Error('a stored object has no metadata.uid');
  return end + 1;
}
