import { Ajv } from 'ajv'
import t from 'tap'
import { readKindSchemas } from '../../../src/manifests/validation/schema.ts'
import { toJsonSchema } from '../../../src/manifests/validation/structure.ts'

for (const { kind, schema } of readKindSchemas()) {
  t.test(`the schema of ${kind} is a valid JSON Schema, which no start checks`, async (t) => {
    const ajv = new Ajv({ strict: false })
    t.ok(ajv.validateSchema(toJsonSchema(schema)), ajv.errorsText())
  })
}
