/** The program that this one is called as. */
export interface ProgramCaller {
  /** How the help names it. */
  readonly name: string;
  /** A kubeconfig that is used if it exists and nothing else names a server. */
  readonly fallbackKubeconfig?: string;
}
