/** Removes managedFields from the YAML of an object: its line up to the next key of metadata. */
export function withoutManagedFields(yaml: string): string {
  let inside = false;
  return yaml
    .split('\n')
    .filter((line) => {
      if (line === '  managedFields:') inside = true;
      else if (inside && !/^ {2}(- | )/.test(line)) inside = false;
      return !inside;
    })
    .join('\n');
}
