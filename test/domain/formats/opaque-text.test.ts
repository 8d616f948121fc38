import t from 'tap'
import { isMedia } from '../../../src/domain/formats/opaque-text.ts'

const media = 'iVBORw0KGgoAAAANSUhEUgAAAAUA'.repeat(40)
const key = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'

t.test('base64 of one alphabet is media, bare and in a data: URL', async (t) => {
  for (const text of [media, `${media}+/==`, `${media}-_`, `data:image/png;base64,${media}`])
    t.ok(isMedia('', text), text.slice(-40))
})

t.test('numbers, keys and words are no media, however many', async (t) => {
  for (const text of [
    `data:alice@example.com 4111111111111111,${media}`,
    Array.from({ length: 40 }, () => key).join('/'),
    '4111111111111111-'.repeat(70),
    'confidential-words-'.repeat(70),
    `${media} ${media}`,
    media.slice(0, 1000),
  ])
    t.notOk(isMedia('', text), text.slice(0, 60))
})
