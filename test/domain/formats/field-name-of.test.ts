import t from 'tap'
import { fieldNameOf } from '../../../src/domain/formats/field-name-of.ts'

t.test('a value has the names beside it and above it', async (t) => {
  t.equal(fieldNameOf({ name: 'x', value: '...' }, 'value', 'password'), 'x\npassword')
  t.equal(fieldNameOf({ plaintext: '...' }, 'plaintext', 'password'), 'plaintext\npassword')
  t.equal(fieldNameOf({ value: '...' }, 'value', 'password'), 'password')
  t.equal(fieldNameOf({ system: 'phone', value: '...' }, 'value', ''), 'value\nphone')
})

t.test('a cookie has the name of what holds it', async (t) => {
  t.equal(fieldNameOf({ sid: 'x' }, 'sid', 'cookies'), 'sid\ncookies')
  t.equal(fieldNameOf({ sid: 'x' }, 'sid', 'shop.example\nrequestCookies'), 'sid\nshop.example\nrequestCookies')
  t.equal(fieldNameOf({ sid: 'x' }, 'sid', 'cookie_policy'), 'sid')
})

t.test('a name of any length is copied for none of the values below it', async (t) => {
  const long = 'k'.repeat(100_000)
  t.equal(fieldNameOf({ raw: 'x' }, 'raw', long), 'raw')
  t.equal(fieldNameOf({ id: 'a', value: 'x' }, 'value', long), 'a')
  t.equal(fieldNameOf({ name: long, value: 'x' }, 'value', 'password'), 'password')
})
