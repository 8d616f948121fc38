/** Where providers' Secrets are looked for outside a cluster. */
export const STANDALONE_PROVIDER_NAMESPACES: readonly string[] = ['tollgate-system', 'default']
