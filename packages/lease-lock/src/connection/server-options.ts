/** How to reach an API server; kubectl's names. Without any of them: $KUBECONFIG, ~/.kube/config, or the pod's own service account. */
export interface ServerOptions {
  readonly kubeconfig?: string;
  /** A kubeconfig that is used if it exists and nothing else names a server. It must contain what it says, and name no file or plugin. */
  readonly fallbackKubeconfig?: string;
  /** Of the kubeconfig; its current context by default. */
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
