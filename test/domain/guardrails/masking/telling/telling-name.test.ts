import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })
const found = (text: string): string[] => [...detector.detect(text)].map(({ start, end }) => text.slice(start, end))

t.test('a word of any alphabet tells in capitals as in small letters', async (t) => {
  for (const name of ['Пароль', 'ПАРОЛЬ', 'Токен', 'Şifre', 'CONTRASEÑA', 'LÖSENORD', 'Κωδικός', 'HASŁO'])
    t.strictSame(found(`${name}: Kx29fPq1!vb`), ['Kx29fPq1!vb'], name)
  for (const text of [
    'Пароль неверный. Пароль: не менее 12 символов. ПАРОЛЬ ИЛИ ЛОГИН НЕВЕРНЫ',
    'Şifre: en az 8 karakter. Şifrenizi mi unuttunuz?',
    'Κωδικός: τουλάχιστον 8 χαρακτήρες.',
  ])
    t.strictSame(found(text), [], text)
})

t.test('a password is found behind what languages put between it and its name', async (t) => {
  for (const text of [
    'La contraseña temporal es Verano_2026#',
    'La contraseña provisional que me disteis es Verano_2026#',
    'Le mot de passe temporaire est Verano_2026#',
    'Le mot de passe provisoire : Verano_2026#',
    'A senha provisória é Verano_2026#',
    'La password temporanea è Verano_2026#',
    'Heslo do administrace je Verano_2026#',
    'Parola mea este Verano_2026#',
    'Ο κωδικός μου είναι Verano_2026#',
    'הסיסמה שלי היא Verano_2026#',
    'मेरा पासवर्ड है Verano_2026#',
    'كلمة السر: Verano_2026#',
    'كلمة المرور هي Verano_2026#',
    'Mật khẩu: Verano_2026#',
    'mật khẩu của tôi là Verano_2026#',
    'kata sandi saya adalah Verano_2026#',
    'Wifi şifresi: Verano_2026#',
    'The password you gave me is Verano_2026#',
  ])
    t.strictSame(found(text), ['Verano_2026#'], text)
  for (const text of [
    'Nhập khẩu: 2026x5 tấn, Xuất khẩu: 500tấn',
    'Mật khẩu: tối thiểu 8 ký tự',
    'La contraseña que elija es de 8-20 caracteres',
  ])
    t.strictSame(found(text), [], text)
})
