import t from 'tap'
import { resolveOverlaps } from '../../../../../src/domain/guardrails/masking/finding.ts'
import { findPhoneNumbers } from '../../../../../src/domain/guardrails/masking/personal/phone-number.ts'

function found(text: string): string[] {
  return resolveOverlaps([...findPhoneNumbers(text)].flatMap((found) => found ?? [])).map(({ start, end }) =>
    text.slice(start, end),
  )
}

t.test('numbers with a country code and in the forms of a country are found without a word', async (t) => {
  for (const number of [
    '+49 (0)30 901820',
    '+14155552671',
    '0044 7700 900123',
    '415.555.2671',
    '1-415-555-2671',
    '1 (800) 555-0199',
    '8 (495) 123-45-67',
    '8-916-123-45-67',
    '020 7946 0958',
    '(020) 7946 0958',
    '(030) 90 18 20',
    '01.23.45.67.89',
    '0470/12.34.56',
    '0912.345.678',
    '(11) 91234-5678',
    '02)123-4567',
  ])
    for (const text of [number, `Jo, ${number}.`, `"${number}"`, `a;${number};b`])
      t.strictSame(found(text), [number], text)
})

t.test('numbers in a row, and behind a digit and a blank, are found where their form leaves no doubt', async (t) => {
  for (const number of [
    '+49 171 1234567',
    '+33612345678',
    '+49.30.901820',
    '+33.6.12.34.56.78',
    '+44\u20117700\u2011900123',
    '+49\u201330\u2013901820',
    '415-555-2671',
    '(415) 555-2671',
    '06-12-34-56-78',
  ]) {
    t.strictSame(found(`${number} ${number}  ${number}`), [number, number, number])
    t.strictSame(found(`42 ${number}, 7`)[0], number)
  }
  for (const text of [
    '2026-05-01 10:00:00 +1100 192.168.10.12',
    '1714521600 +1030 12345678',
    '93425 +899184 2016-06-17',
    '1.0 +2.3456789 +3.4567890',
    '1.0 +2.3456789 12345.678',
    '17 +1.4142135624 +1.7320508076',
    '12 020 7946 0958',
  ])
    t.strictSame(found(text), [], text)
})

t.test('any group of digits behind a word that announces a number is found', async (t) => {
  for (const [text, number] of [
    ['Tel.: 601 234 567', '601 234 567'],
    ['"phone": "4155552671"', '4155552671'],
    ['"mobilePhone":"98765 43210"', '98765 43210'],
    ['phone_number=07700900123', '07700900123'],
    ['Handy 01761234567', '01761234567'],
    ['Sie erreichen mich unter 030/90182-0.', '030/90182-0'],
    ['Mi teléfono es 612 34 56 78', '612 34 56 78'],
    ['Call me on 98765 43210', '98765 43210'],
    ['Тел.: 89161234567', '89161234567'],
    ['电话：13800138000', '13800138000'],
    ['携帯番号は09012345678です', '09012345678'],
    ['전화번호: 01012345678', '01012345678'],
    ['Tlf.: 32 12 34 56', '32 12 34 56'],
    ['{"text":"phone:\\n4155552671"}', '4155552671'],
    ['{"phone_numbers":["4155552671"]}', '4155552671'],
    ['{"type":"phone","value":"4155552671"}', '4155552671'],
    ['{"type":"phone","value":4155552671}', '4155552671'],
    ['{"type":"phone","value":612345678}', '612345678'],
    ['{"phone":4155552671.0}', '4155552671.0'],
    ['"phone":\n  -030 1234567', '030 1234567'],
    ['{"mobile_number":{"value":98765432}}', '98765432'],
    ['{"type":"phone","value":"5552671"}', '5552671'],
    ['{"system": "phone",\n          "value": "4155552671"}', '4155552671'],
    [String.raw`"{\"phoneNumbers\":[{\"value\":\"4155552671\"}]}"`, '4155552671'],
  ] as const)
    t.strictSame(found(text), [number], text)
})

t.test('an escaped line break before a number is no part of it', async (t) => {
  t.strictSame(found(String.raw`{"text":"call\n+49 30 901820\nor\n(555) 010-1234"}`), [
    '+49 30 901820',
    '(555) 010-1234',
  ])
})

t.test('dates, postal codes, bits, fractions and numbers of other things are left alone', async (t) => {
  for (const text of [
    'on 04-11-2014 or 05 01 2025, at 0001-01-01 00:00',
    '1234 05-12-2024 14:30:00 INFO, on 05-12-2024 07 and 05-12-2024 23:59',
    'Springfield 02765-1115',
    'mask 0011 1111 and 0000 0111',
    'figma.com/file?node-id=002-2918',
    'order 601 234 567 of 98765432',
    'Population: 8 123 456',
    'phone model 12345, call 20261123',
    'I called it 12 times in 2024-11-02',
    'telemetry 1234567890',
    '{"type":"call","value":"1700000000"}, "value":"4155552671"',
    '{"device":"mobile","value":1234567}',
    '{"device":"mobile","value":-1234567}',
    '{"device":"phone","value":12345.67}',
    '{"desktop":0.5512345,"mobile":0.4487655}',
    String.raw`"{\"phone\":-1234567.5}"`,
    '{"channel":"sms","value": 25000000}',
    '{"cell":{"value":12345678}}',
    'ratio 0.1234567890',
  ])
    t.strictSame(found(text), [], text)
})

t.test(
  'a number apart from its name in JSON or in a dictionary of Python is found behind names of two words, too',
  async (t) => {
    for (const text of [
      '{"cell_number":{"value":"61234567"}}',
      '{"faxNumber":{"value":"61234567"}}',
      '{"mobileNo":{"value":"61234567"}}',
      "{'type': 'phone', 'value': '61234567'}",
      'contact no: 61234567',
    ])
      t.strictSame(found(text), ['61234567'], text)
    for (const text of ['{"channel":"phone","value":1234567}', "{'device': 'mobile', 'value': 12345678}"])
      t.strictSame(found(text), [], text)
  },
)
