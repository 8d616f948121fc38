import t from 'tap'
import { findBankAccounts } from '../../../../../src/domain/guardrails/masking/personal/bank-account.ts'

function found(text: string): string[] {
  return [...findBankAccounts(text)].flatMap((found) => (found ? text.slice(found.start, found.end) : []))
}

const GROUPED = 'DE89 3704 0044 0532 0130 00'

t.test('IBANs are found in groups and undivided, in either case', async (t) => {
  for (const written of [
    GROUPED,
    GROUPED.replaceAll(' ', ''),
    GROUPED.replaceAll(' ', '-'),
    GROUPED.replaceAll(' ', '.'),
    GROUPED.replaceAll(' ', '\u00a0'),
    GROUPED.toLowerCase(),
    'GB29NWBK60161331926819',
    'NO93 8601 1117 947',
    'MT84 MALT 0110 0001 2345 MTLC AST0 01S',
  ])
    for (const text of [written, `IBAN: ${written}.`, `IBAN${written}`, `a\\n${written}\\nb`])
      t.strictSame(found(text), [written], text)
})

t.test('a country tells where its number ends, so words and accounts behind it do not hide it', async (t) => {
  t.strictSame(found(`${GROUPED} BIC COBADEFF`), [GROUPED])
  t.strictSame(found(`${GROUPED} GB29 NWBK 6016 1331 9268 19`), [GROUPED, 'GB29 NWBK 6016 1331 9268 19'])
})

t.test('a country that is not registered may have any length', async (t) => {
  t.strictSame(found('ZZ33 1234 5678 9012 345'), ['ZZ33 1234 5678 9012 345'])
})

t.test('wrong check digits, lengths and parts of longer words are left alone', async (t) => {
  for (const text of ['DE88 3704 0044 0532 0130 00', 'DE89 3704 0044 0532', `${GROUPED}1`, `x${GROUPED}`, 'NO93'])
    t.strictSame(found(text), [], text)
})
