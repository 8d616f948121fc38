/** The provider families, one line each. */
import type { ProviderType } from '../../domain/snapshot/snapshot.ts'
import type { ProviderFamily } from './provider-family.ts'
import { anthropic } from './anthropic.ts'
import { azureOpenai } from './azure-openai.ts'
import { gemini } from './gemini.ts'
import { openaiCompatible } from './openai-compatible.ts'
import { openai } from './openai.ts'

export const PROVIDER_FAMILIES: readonly ProviderFamily[] = [openai, azureOpenai, openaiCompatible, anthropic, gemini]

/** The family of a provider. Every `ProviderType` has one. */
export function familyOf(type: ProviderType): ProviderFamily {
  const family = BY_TYPE.get(type)
  if (family === undefined) throw new TypeError(`no provider family for ${type}`)
  return family
}

const BY_TYPE = new Map(PROVIDER_FAMILIES.map((family) => [family.type, family]))
