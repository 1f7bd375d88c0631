import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** A server that a command could ask. */
interface FoundServer {
  /** Kubeconfigs, several if $KUBECONFIG names them; none for the service account of the pod. */
  readonly files: readonly string[];
  /** Whether a server wrote the file, into its data directory. It names no other file and no plugin. */
  readonly isOwn: boolean;
  readonly name: string;
}

/** The admin's kubeconfig in the data directory. */
export interface OwnKubeconfig {
  readonly file: string;
  /** Whether the environment names the data directory. Otherwise it is that of the current folder. */
  readonly isNamed: boolean;
  /** Why the environment's name cannot be used, in one line. */
  readonly problem?: string;
}

/** The order for helps and documents. */
export const SERVER_ORDER =
  "that of --data-dir or $COORDINATION_APISERVER_DATA_DIR if given, $KUBECONFIG, .data here, ~/.kube/config, or the pod's service account";

/**
 * The server that every command asks whose flags name none: what the environment names, then the nearest. Undefined: nothing names one.
 * `note`: a line for stderr if a data directory and something else both name one.
 */
export function chooseServer(
  own: OwnKubeconfig | undefined,
  environment: NodeJS.ProcessEnv,
): (FoundServer & { readonly note?: string }) | undefined {
  const [chosen, ...rest] = candidates(own, environment);
  const others = rest.filter(({ files: [file] }) => !chosen?.files.some((same) => file && path.resolve(same) === path.resolve(file)));
  if (!chosen || others.length === 0 || ![chosen, ...others].some(({ isOwn }) => isOwn)) return chosen;
  const names = others.map(({ name }) => name).join(' and ');
  return { ...chosen, note: `the server is that of ${chosen.name}, which comes before ${names}; --kubeconfig names another` };
}

function candidates(own: OwnKubeconfig | undefined, environment: NodeJS.ProcessEnv): FoundServer[] {
  const found: FoundServer[] = [];
  const ofOwn = own && { files: [own.file], isOwn: true, name: own.file };
  if (ofOwn && own.isNamed) found.push(ofOwn);
  const named = (environment['KUBECONFIG'] ?? '').split(path.delimiter).filter(Boolean);
  const existing = named.filter((file) => existsSync(file));
  if (named.length > 0) found.push({ files: existing.length > 0 ? existing : named.slice(0, 1), isOwn: false, name: '$KUBECONFIG' });
  if (ofOwn && !own.isNamed && existsSync(own.file)) found.push(ofOwn);
  const usual = path.join(homedir(), '.kube', 'config');
  if (named.length === 0 && existsSync(usual)) found.push({ files: [usual], isOwn: false, name: usual });
  if (environment['KUBERNETES_SERVICE_HOST']) found.push({ files: [], isOwn: false, name: "the pod's service account" });
  return found;
}
