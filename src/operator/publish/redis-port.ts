/** What publishing needs of a Redis connection; the data plane's client fits. Every call is bounded by its implementation. */

export interface PublishRedis {
  /** One command. `key` decides the node of a cluster. @throws where Redis does not answer in time. */
  send(key: string, args: readonly string[], options?: { readonly timeoutMs?: number }): Promise<unknown>
  /** A script by its digest, its text only where the server does not know it. */
  run(
    script: { readonly source: string; readonly sha: string },
    keys: readonly [string, ...string[]],
    args: readonly string[],
    options?: { readonly timeoutMs?: number },
  ): Promise<unknown>
}
