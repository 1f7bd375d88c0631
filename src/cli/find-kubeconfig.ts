import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { ADMIN_KUBECONFIG } from '../server/tls/admin-kubeconfig.js';
import { CommandError } from './output/command-error.js';
import { configOf } from './setting-options.js';

/** A kubeconfig, and whether it is the admin's in a data directory, as its server wrote it. */
export interface FoundKubeconfig {
  readonly file: string;
  readonly isOwn: boolean;
}

/** The order in which `findKubeconfig` looks, for helps and documents. */
export const KUBECONFIG_ORDER = 'that of --data-dir if given, $KUBECONFIG, that of the data directory, or ~/.kube/config';

/** Returns the kubeconfig of a command's flags and environment. What is named comes before what merely exists. Throws CommandError. */
export function findKubeconfig(command: Command): FoundKubeconfig {
  const { kubeconfig } = command.opts<{ kubeconfig?: string }>();
  if (kubeconfig !== undefined) return { file: kubeconfig, isOwn: false };
  const own: FoundKubeconfig = { file: path.resolve(configOf(command).dataDir, ADMIN_KUBECONFIG), isOwn: true };
  if (command.getOptionValue('dataDir') !== undefined || process.env['COORDINATION_APISERVER_DATA_DIR']) return existing(own);
  const named = (process.env['KUBECONFIG'] ?? '').split(path.delimiter).filter(Boolean);
  const [first] = named;
  if (first !== undefined) return { file: named.find((file) => existsSync(file)) ?? first, isOwn: false };
  if (existsSync(own.file)) return own;
  const usual = path.join(homedir(), '.kube', 'config');
  if (existsSync(usual)) return { file: usual, isOwn: false };
  throw new CommandError(
    `no server is known: none has run in ${path.dirname(own.file)} yet, and there is no ${usual}: start one, pass its --data-dir or a --kubeconfig, or set KUBECONFIG`,
  );
}

function existing(own: FoundKubeconfig): FoundKubeconfig {
  if (existsSync(own.file)) return own;
  throw new CommandError(`no server has run in ${path.dirname(own.file)} yet: start it first, or pass its --data-dir`);
}
