/** A word quoted for a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export interface KubectlLine {
  readonly purpose: string;
  readonly line: string;
}

interface Named {
  readonly namespace: string;
  readonly name: string;
}

/** Command lines for a lease. */
export function kubectlLines({ namespace, name }: Named): KubectlLine[] {
  const lease = `${shellWord(name)} -n ${shellWord(namespace)}`;
  const holder = `-o jsonpath='{.spec.holderIdentity}{"\\n"}'`;
  return [
    { purpose: 'Who holds it', line: `kubectl get lease ${lease} ${holder}` },
    { purpose: 'Follow its changes', line: `kubectl get lease ${lease} --watch --output-watch-events` },
    { purpose: 'All of it', line: `kubectl get lease ${lease} -o yaml --show-managed-fields` },
    { purpose: 'Its events', line: `kubectl events --for lease/${shellWord(name)} -n ${shellWord(namespace)}` },
    { purpose: 'Release it', line: `kubectl patch lease ${lease} --type merge -p '{"spec":{"holderIdentity":""}}'` },
  ];
}

/** What calls the program on the server's machine. */
export function programCall(): string {
  return document.querySelector('meta[name="program-call"]')?.getAttribute('content') ?? 'coordination-apiserver';
}
