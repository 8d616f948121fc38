import t from 'tap'
import { responses } from '../../../../src/domain/formats/responses/responses.ts'
import { casesOf, fixture, matchGolden } from '../golden.ts'

for (const name of casesOf('responses/requests', '.json')) {
  const path = `responses/requests/${name}`
  t.test(`the request «${name}» is parsed`, async (test) => {
    const { source, ...neutral } = responses.parseRequest(JSON.parse(fixture(`${path}.json`)))
    matchGolden(test, `${path}.parsed.golden.json`, neutral)
    matchGolden(test, `${path}.unmodelled.golden.json`, responses.unmodelledFields(source.document))
    test.strictSame(source.document, JSON.parse(fixture(`${path}.json`)), 'the source is not touched')
  })
}
