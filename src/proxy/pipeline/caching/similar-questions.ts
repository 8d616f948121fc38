/**
 * The second look into the cache: by meaning. Asked only where a policy wants it, after both levels have missed, and
 * within a budget of time; whatever is late, wrong, absent or not to be paid for is a miss.
 *
 * A request waits for its question's vector only where a question of the same wording is known. Any other vector is for
 * the questions that come later, and is made while the provider is asked.
 *
 * Two requests may share an answer where everything but the last question is equal (as in the exact key, the embedding
 * model included), the questions' vectors are alike, and their wordings say the same (domain/caching/semantic/wording).
 */
import type { RequestText } from '../../../domain/caching/request-text.ts'
import { requestText } from '../../../domain/caching/request-text.ts'
import { QUESTION_PLACE, questionOf } from '../../../domain/caching/semantic/question.ts'
import { cosine, type PackedVector } from '../../../domain/caching/semantic/vector.ts'
import { wordingOf } from '../../../domain/caching/semantic/wording.ts'
import type { ClientFormat } from '../../../domain/formats/format.ts'
import { parseJson } from '../../../domain/json-parse.ts'
import { asObject } from '../../../domain/json.ts'
import { AUTO_MODEL } from '../../../domain/routing/names.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import type { CacheAddress, CacheScope, KnownQuestion, PurgeMarks } from '../cache-port.ts'
import type { CompletionAsk } from './complete-through-cache.ts'
import { embedQuestion } from './embed-question.ts'
import { planForEmbeddings } from '../embeddings/plan-embeddings.ts'
import type { RequestRecord } from '../request-record.ts'
import type { GovernedCaller } from '../resolve-request-policy.ts'
import type { Services } from '../services.ts'
import { digestOf } from './look-up.ts'
import type { SimilarAnswer, SimilarAnswers } from './cacheable.ts'

/** @see DESIGN section 7 */
const DEFAULT_MIN_SIMILARITY = 0.95
const DEFAULT_TTL_MS = 3_600_000
/** Answers fetched for one look: the best few; one that is gone leaves the next. */
const MAX_FETCHED = 3

/** Undefined where the policy does not want it or the request is none that can be compared by meaning. */
export function similarAnswers(
  { request, reserved }: Pick<CompletionAsk, 'request' | 'reserved'>,
  format: ClientFormat,
  text: RequestText,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): SimilarAnswers | undefined {
  const settings = caller.policy.cache.semantic
  if (settings?.enabled !== true) return undefined
  const question = questionOf(request)
  if (question === undefined) return undefined
  const asked = text.tokens.toOrdinals(question)
  const wording = wordingOf(asked)
  const ttlMs = settings.ttlMs ?? DEFAULT_TTL_MS
  let known: { readonly group: CacheAddress; readonly vector: Vector; readonly marks: PurgeMarks } | undefined
  const minSimilarity = settings.minSimilarity ?? DEFAULT_MIN_SIMILARITY
  return {
    minSimilarity,
    async find(scope, marks) {
      const deployment = embedderOf(settings.model ?? AUTO_MODEL, caller, services)
      const group = deployment && groupOf(deployment, question, format, text, scope)
      if (deployment === undefined || group === undefined) return undefined
      const embedding = embedQuestion(asked, deployment, reserved, caller, record, services)
      record.embeddingUnderway = embedding
      known = { group, vector: embedding, marks }
      const questions = await services.questions.questions(group, marks)
      const oldestMs = services.wallNow() - ttlMs
      const candidates = questions.filter((other) => other.wording === wording && other.askedAtMs >= oldestMs)
      // Nothing to compare with: the vector is for later questions and is made while the provider is asked.
      if (candidates.length === 0) return undefined
      const vector = await record.waitFor(embedding, services.now)
      return vector && fetchBest(candidates, vector, minSimilarity, scope, marks, services)
    },
    kept(address) {
      if (known === undefined) return
      const { group, marks } = known
      void remember(known.vector, (vector) => {
        const askedAtMs = Math.floor(services.wallNow())
        services.questions.add(group, { wording, vector, answer: address.digest, askedAtMs }, ttlMs, marks)
      })
    },
  }
}

async function remember(vector: Vector, add: (vector: PackedVector) => void): Promise<void> {
  const made = await vector
  if (made !== undefined) add(made)
}

type Vector = Promise<PackedVector | undefined>

async function fetchBest(
  questions: readonly KnownQuestion[],
  vector: PackedVector,
  least: number,
  scope: CacheScope,
  marks: PurgeMarks,
  { cache }: Services,
): Promise<SimilarAnswer | undefined> {
  const alike = questions
    .map((question) => ({ question, similarity: Math.min(1, cosine(vector, question.vector)) }))
    .filter(({ similarity }) => similarity >= least)
    .toSorted((one, other) => other.similarity - one.similarity)
  for (const { question, similarity } of alike.slice(0, MAX_FETCHED)) {
    const address = { scope, digest: question.answer }
    const answer = cache.readNear(address, marks) ?? (await cache.readFar(address, marks))
    if (answer !== undefined) return { answer, similarity }
  }
  return undefined
}

/** The requests that are equal but for the question, and whose questions this deployment embeds. */
function groupOf(
  deployment: Deployment,
  question: string,
  format: ClientFormat,
  text: RequestText,
  scope: CacheScope,
): CacheAddress | undefined {
  const document = asObject(parseJson(JSON.stringify(text.document))) ?? {}
  format.visitRequestText(document, (span) =>
    span.scope === 'message' && span.role === 'user' && span.text === question ? QUESTION_PLACE : span.text,
  )
  const rest = requestText({ ...text, document })
  return rest === undefined ? undefined : { scope, digest: digestOf(scope, `question ${deployment.id}\n${rest}`) }
}

/**
 * Who embeds: the policy's choice, whatever models the key may call itself. Exclusions and the key's providers bind all
 * the same; prices and qualities are about answers.
 */
function embedderOf(model: string, caller: GovernedCaller, services: Services): Deployment | undefined {
  const key = { ...caller.key, access: { ...caller.key.access, models: [], allowAuto: true } }
  const policy = { ...caller.policy, maxCost: undefined, minQuality: undefined, scoringMethod: undefined }
  const outcome = planForEmbeddings(model, { ...caller, key, policy }, services)
  return outcome.type === 'plan' ? outcome.candidates[0].deployment : undefined
}
