import t from 'tap'
import { GatewayError, type ErrorCode } from '../../../../src/domain/errors.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'

const types: Partial<Record<ErrorCode, string>> = {
  invalid_request_error: 'invalid_request_error',
  invalid_control_header: 'invalid_request_error',
  unsupported_media_type: 'invalid_request_error',
  invalid_api_key: 'authentication_error',
  model_not_allowed: 'permission_error',
  model_not_found: 'not_found_error',
  request_too_large: 'request_too_large',
  rate_limit_exceeded: 'rate_limit_error',
  budget_reserved: 'rate_limit_error',
  budget_exceeded: 'billing_error',
  token_quota_exceeded: 'billing_error',
  internal_error: 'api_error',
  all_providers_failed: 'api_error',
  no_healthy_provider: 'overloaded_error',
  upstream_timeout: 'timeout_error',
}

for (const [code, type] of Object.entries(types) as [ErrorCode, string][]) {
  t.test(`${code} is shown as ${type}, with its stable code beside`, async (test) => {
    const error = new GatewayError(code, 'Sorry.', code === 'invalid_request_error' ? { param: 'messages' } : {})
    const param = code === 'invalid_request_error' ? { param: 'messages' } : {}
    const details = { error_code: code }
    const body = { type: 'error', error: { type, message: 'Sorry.', code, ...param, details }, request_id: 'r' }
    test.strictSame(messages.renderError(error, 'r'), body)
    test.strictSame(messages.renderStreamError(error, 'r'), [{ event: 'error', data: JSON.stringify(body) }])
  })
}

t.test("a provider's own refusal keeps its type where the vendor has it", async (test) => {
  const refusal = (type: string, status: number) =>
    messages.renderError(
      new GatewayError('provider_rejected_request', 'No.', { status, vendor: { type, code: 'their_code' } }),
      'r',
    )
  test.match(refusal('request_too_large', 413), {
    error: { type: 'request_too_large', code: 'their_code', details: { error_code: 'their_code' } },
  })
  test.match(refusal('BadRequest', 422), { error: { type: 'invalid_request_error' } })
})

t.test('error bodies of the vendor and of servers that nearly have its shape are read', async (test) => {
  const nothing = { message: undefined, type: undefined, code: undefined, param: undefined }
  test.strictSame(
    messages.parseError({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Busy', details: { error_code: 'x' } },
    }),
    { ...nothing, message: 'Busy', type: 'overloaded_error', code: 'x' },
  )
  test.strictSame(messages.parseError({ error: 'plain' }), { ...nothing, message: 'plain' })
  test.strictSame(messages.parseError({ detail: 'Not Found' }), { ...nothing, message: 'Not Found' })
  test.strictSame(messages.parseError({ message: 'm', error: { message: 1 } }), nothing)
  test.strictSame(messages.parseError({}), nothing)
})
