import type { TranslationWarning } from '../completion/request.ts'

/**
 * The maximum of an answer, in tokens, for a format that has none of 0, as Messages has to fill a prompt cache: most vendors
 * refuse it, and to some servers (Ollama) it is no limit at all.
 * @param format as it is named in the warning, which is pushed where the maximum becomes another
 */
export function smallestLimit(
  limit: number | undefined,
  format: string,
  warnings: TranslationWarning[],
): number | undefined {
  if (limit !== 0) return limit
  warnings.push({ field: 'max_tokens', message: `${format} has no maximum of 0; 1 was sent` })
  return 1
}
