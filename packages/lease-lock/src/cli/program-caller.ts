import type { OwnKubeconfig } from '../../../../src/kube/choose-server.js';

/** The program that this one is called as. */
export interface ProgramCaller {
  /** How the help names it. */
  readonly name: string;
  /** What its lines on stderr begin with: they stand among those of the command that it runs. The name, if there is none. */
  readonly label?: string;
  /** The kubeconfig of the data directory. */
  readonly own?: OwnKubeconfig;
  /** Which of the names was probably meant by a word that is none of them. */
  readonly closest?: (word: string, names: readonly string[]) => string | undefined;
}
