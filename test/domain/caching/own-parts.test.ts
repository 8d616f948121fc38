import t from 'tap'
import { mayHaveOwnParts } from '../../../src/domain/caching/own-parts.ts'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

const chat = formatOf('chat-completions')
const own = (document: JsonObject) => mayHaveOwnParts('chat-completions', chat.unmodelledFields(document))

t.test('requests whose answers the neutral stream carries have no parts of their own', async (t) => {
  const plain = {
    messages: [{ role: 'user', content: 'x', name: 'anna' }],
    logit_bias: {},
    store: true,
    metadata: { a: '1' },
  }
  t.notOk(own(plain))
  for (const field of ['logprobs', 'modalities', 'web_search_options', 'nobody_knows']) {
    t.ok(own({ ...plain, [field]: [1] }), field)
  }
})
