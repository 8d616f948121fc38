/**
 * Reads the questions that other gateways have answered into this process before anybody asks: one scope after the
 * other, in the background, each once. What comes later is followed when it is asked for (stores/cache/question-feed).
 */
import { semanticScopes } from '../../../domain/caching/semantic/semantic-scopes.ts'
import type { Configuration } from '../ports.ts'
import type { Services } from '../services.ts'

export class QuestionHydrator {
  readonly #services: Pick<Services, 'cache' | 'questions' | 'log'>
  readonly #begun = new Set<string>()
  #last: Promise<void> = Promise.resolve()

  constructor(services: Pick<Services, 'cache' | 'questions' | 'log'>) {
    this.#services = services
  }

  /** Begins with the scopes of a configuration that are new. */
  follow(configuration: Configuration): void {
    const scopes = semanticScopes(configuration.compiled)
    const names = new Set(scopes.map(({ organization, project }) => `${organization} ${project ?? ''}`))
    for (const name of this.#begun) if (!names.has(name)) this.#begun.delete(name)
    for (const { organization, project } of scopes) {
      const name = `${organization} ${project ?? ''}`
      if (this.#begun.has(name)) continue
      this.#begun.add(name)
      const secret = configuration.cacheKeyOf(organization)
      this.#last = this.#last.then(() => this.#hydrate({ organization, project, secret }))
    }
  }

  /** Resolves when all that has begun is done. */
  done(): Promise<void> {
    return this.#last
  }

  async #hydrate(scope: Parameters<Services['questions']['hydrate']>[0]): Promise<void> {
    const { cache, questions, log } = this.#services
    try {
      await questions.hydrate(scope, () => cache.purgeMarks(scope))
    } catch (err) {
      log.error({ organization: scope.organization, err }, 'questions not hydrated')
    }
  }
}
