/** `fields` without those that are undefined: the contract's optional fields are absent, never undefined. */
export function present<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  // The one cast of this folder: what is left has T's type by construction.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
