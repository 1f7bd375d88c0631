import { parse } from 'yaml';
import { type KubeTarget, targetOf } from './kube-target.js';
import { contextOf, parseKubeconfig, readText } from './kubeconfig.js';

/** Reads a context of kubeconfigs, by default the current one. Throws a KubeconfigError. */
export function readKubeTarget(files: readonly string[], context?: string): KubeTarget {
  return targetOf(
    contextOf(
      files.map((file) => parseKubeconfig(file, readText(file, 'the kubeconfig '), parse)),
      context,
    ),
  );
}
