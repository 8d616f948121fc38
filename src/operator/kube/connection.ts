import type { Secret } from '../../domain/secret.ts'
import type { Timing } from './timing.ts'
import type { TokenSource } from './tokens.ts'

/** Where the API server is and who we are. */
export interface KubeConnection {
  /** `https://host:port`, with a path where the server is behind one; no slash at the end. */
  readonly server: string
  readonly tls: KubeTls
  /** Absent where a client certificate says who we are. */
  readonly token?: TokenSource | undefined
  /** The namespace of the pod or of the kubeconfig's context; `default` where neither says. */
  readonly namespace: string
}

export interface KubeTls {
  /** PEM of the authorities; the system's where absent. */
  readonly ca?: string | undefined
  /** PEM of the client certificate. */
  readonly certificate?: string | undefined
  readonly key?: Secret | undefined
  /** The name to expect in the server's certificate, where it is not the URL's. */
  readonly serverName?: string | undefined
  /** Do not check the server's certificate. */
  readonly insecure?: boolean | undefined
}

export interface ConnectionSources {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home folder. */
  readonly home: string
  readonly timing: Timing
  /** Other than the kubelet's, in tests. */
  readonly serviceAccountFolder?: string
}
