/** How to reach an API server; kubectl's names. Without any of them: $KUBECONFIG, ~/.kube/config, or the pod's own service account. */
export interface ServerOptions {
  readonly kubeconfig?: string;
  /** The kubeconfig of a server's data directory, in place of the others. It contains all that it says: it names no file and no plugin. */
  readonly ownKubeconfig?: string;
  /** Context of the kubeconfig; its current one by default. */
  readonly context?: string;
  /** Takes the place of the kubeconfig, with the options below. */
  readonly server?: string;
  readonly token?: string;
  /** PEM file. */
  readonly certificateAuthority?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** Default: that of the context or pod, or `default`. */
  readonly namespace?: string;
}
