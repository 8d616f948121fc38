import t from 'tap'
import { wordingOf } from '../../../../src/domain/caching/semantic/wording.ts'

const SAME: string[][] = [
  ['How do I reset my password?', 'how to reset the password', 'Please, how can I reset my password'],
  ["What's the capital of France?", 'what is the capital of France', "Tell me: what's the capital of France?"],
  ['WHAT IS THE TIME', 'WHAT IS THE TIME?'],
  ['who is i', 'Who is I'],
  ['Hello. Please, how do I, please, reset my password?', 'how do i, reset password'],
  ['How to reset my password???', 'how do I reset my password!'],
  ['Is red better, or is blue better?', 'is red better; or is blue better, please'],
  ['It rained. Where is the car?', 'it rained. where is the automobile'],
  ['Wie lösche ich mein Konto bei Anna?', 'wie lösche ich mein konto bei anna'],
  ["How can I fix my car's engine?", 'how to repair the car engine'],
  ['Wie kann ich mein Passwort ändern?', 'Bitte, wie mein Kennwort ändern'],
  ['Comment puis-je supprimer mon compte ?', 'Comment effacer mon compte'],
  ['¿Cómo puedo borrar mi cuenta de usuario?', 'Por favor, cómo eliminar mi cuenta de usuario'],
  ['Come posso eliminare il mio account?', 'come cancellare il mio account'],
  ['Como posso apagar minha conta?', 'por favor, como excluir minha conta'],
  ['Hoe kan ik mijn account verwijderen?', 'hoe account wissen'],
  ['Que visiter dans le nord-est de la France ?', 'Bonjour, que visiter dans le nord est de la France ?'],
  ['Is ❤️ a sign of love in Rome', 'is ❤ a sign of love in Rome'],
]

const DIFFERENT: [string, string][] = [
  ['revenue in 2023', 'revenue in 2024'],
  ['10 kg', '10 lb'],
  ['10 kg', '100 kg'],
  ['1.5 m', '15 m'],
  ['is it on', 'is it not on'],
  ['I can log in', "I can't log in"],
  ['Rome to Oslo', 'Oslo to Rome'],
  ['with sugar', 'without sugar'],
  ['before May', 'after May'],
  ['on 3 May', 'on 3 March'],
  ['2 + 3', '2 - 3'],
  ['2 * (3 + 4)', '(2 * 3) + 4'],
  ['-5 degrees', '5 degrees'],
  ['what is 5!', 'what is 5?'],
  ['"a b" means', '"b a" means'],
  ['`rm -r`', '`rm -f`'],
  ['Who is Will Smith', 'Who is Smith'],
  [
    'mail [[LLM_REDACTED_EMAIL_#1]] about [[LLM_REDACTED_EMAIL_#2]]',
    'mail [[LLM_REDACTED_EMAIL_#2]] about [[LLM_REDACTED_EMAIL_#1]]',
  ],
  ['mail a@example.com', 'mail b@example.com'],
  ['open https://example.com/a', 'open https://example.com/b'],
  ['is it US policy', 'is it us policy'],
  ['her account', 'my account'],
  ['Who am I?', 'Who are we?'],
  ['How do you feel?', 'How do I feel?'],
  ['delete just the first row', 'delete the first row'],
  ['Der Mann beißt den Hund', 'Den Mann beißt der Hund'],
  ['Was ist 3 mal 4', 'Was ist 3 4'],
  ['waar is zijn fiets', 'waar is mijn fiets'],
  ['come gli scrivo', 'come le scrivo'],
  ['der Mann beißt den Hund', 'den Mann beißt nicht der Hund'],
  ['je mange', 'je ne mange pas'],
  ['我喜欢猫', '我不喜欢猫'],
  ['мне нужно', 'мне не нужно'],
  ['5 €', '5 $'],
  ['yes 👍', 'yes 👎'],
  // Signs, fractions, powers.
  ['What is 3*(-5)?', 'What is 3*(5)?'],
  ['compute 3*-5', 'compute 3*5'],
  ['solve x=-5', 'solve x=5'],
  ['what is 2^-3', 'what is 2^3'],
  ['what is .5 of 10', 'what is 5 of 10'],
  ['what is 10² + 1', 'what is 102 + 1'],
  ['is x != y', 'is x = y'],
  ['what is n! / 2', 'what is n / 2'],
  // Pauses.
  ["Let's eat, grandma, at home", "Let's eat grandma at home"],
  ['Stop. Eating meat is bad', 'Stop eating meat is bad'],
  ['Who said that, Anna or Bob', 'Who said that Anna or Bob'],
  // Any, the one, mine, ours.
  ['Name a president of France', 'Name the president of France'],
  ['Nombra un presidente de México', 'Nombra el presidente de México'],
  ['Dimmi un presidente della Francia', 'Dimmi il presidente della Francia'],
  ['Noem een minister van Nederland', 'Noem de minister van Nederland'],
  ['When is our deadline for taxes', 'When is my deadline for taxes'],
  // No synonyms in a phrase.
  ['What is big data', 'What is large data'],
  ['What is the big picture here', 'What is the large photo here'],
  ['Is fast food healthy', 'Is quick food healthy'],
  ['How do I develop a film', 'How do I develop a movie'],
  ['How do I look', 'How to look'],
  // Letter case.
  ['is it US policy', 'is it Us policy'],
  ['WHAT IS US POLICY', 'what is us policy'],
  ['US', 'us'],
  ['How do I polish a table', 'How do I Polish a table'],
  ['where is the polish', 'where is the Polish'],
  ['what is a march', 'what is a March'],
  ['Is turkey cheap in May', 'Is Turkey cheap in May'],
  ['the price of china in Japan', 'the price of China in Japan'],
  ['who sells the Movie to Anna', 'who sells the film to Anna'],
  ['can they python', 'can they Python'],
  ['où est la marche', 'où est la Marche'],
  ['Können Sie das essen', 'können sie das essen'],
  ['Was hat Ihr Hund', 'Was hat ihr Hund'],
  // Units.
  [`how much is 5' in cm`, 'how much is 5" in cm'],
  ['download 5 kB of data', 'download 5 kb of data'],
  ['how much is 5 mg of salt', 'how much is 5 Mg of salt'],
  // Names.
  ['Who was John Adams?', 'Who was John Adam?'],
  ['Hello Kitty prices', 'Kitty prices'],
  ["Who founded Macy's in New York", 'Who founded Macy in New York'],
  ['What is .NET core', 'What is NET core'],
  // Who does it.
  ['Which insects can I eat?', 'Which insects can eat?'],
  ['Wen oder was kann ich heute töten', 'Wen oder was kann heute töten'],
  ['What do cats like?', 'What are cats like?'],
  ['What does Anna do?', 'What is Anna?'],
  ['What is the time?', 'What is time?'],
  ['O que é o amor', 'O que é amor'],
  ['Are there a few problems with it', 'Are there few problems with it'],
  ['How do I remove a user from a group', 'How do I delete a user from a group'],
  ['List all customs of Japan', 'List all custom of Japan'],
  ['No, price is too high', 'No price is too high'],
  ['No. Price is too high', 'No price is too high'],
  // Articles that are pronouns too: him, her, them.
  ['Comment le contacter par mail ?', 'Comment la contacter par mail ?'],
  ["Comment l'avertir par mail ?", 'Comment avertir par mail ?'],
  ['Come lo contatto per posta', 'Come la contatto per posta'],
  ['¿Cómo la contacto por correo?', '¿Cómo las contacto por correo?'],
  ['Como o contato por email', 'Como os contato por email'],
  ['Kann ich die nach dem Öffnen essen', 'Kann ich das nach dem Öffnen essen'],
  // «Of», «the» after a preposition, adverbs.
  ['What is the right of way in Italy', 'What is the right way in Italy'],
  ['How do I get out of my car', 'How do I get out my car'],
  ['Have people heard of Anna', 'Have people heard Anna'],
  ['Who is in charge of Anna', 'Who is in the charge of Anna'],
  ['Is there a seat in the front of the car', 'Is there a seat in front of the car'],
  ['What happened the next week in Rome', 'What happened next week in Rome'],
  ['How do I speak kindly to children', 'How do I speak to children'],
  ['What is a purchase order in SAP', 'What is a buy order in SAP'],
  // One of its kind, mine.
  ['Wie finde ich mein Handy wieder', 'Wie finde ich ein Handy wieder'],
  ['Wie richte ich den Drucker ein', 'Wie richte ich den Drucker'],
  ['Où trouver mon hôtel à Paris', 'Où trouver un hôtel à Paris'],
  ['Onde encontrar meu hotel em Lisboa', 'Onde encontrar um hotel em Lisboa'],
  // Who: the verb or the pronoun alone tells.
  ['Qui je remplace au bureau', 'Qui remplace au bureau'],
  ['¿Quién soy para Anna?', '¿Quién es para Anna?'],
  ['Chi sono per Anna', 'Chi è per Anna'],
  ['Wo ist sie im Haus', 'Wo sind sie im Haus'],
  ['Quem eu amava na escola', 'Quem amava na escola'],
  ['Chi era papa Giovanni Paolo I', 'Chi era papa Giovanni Paolo'],
  // Languages that are not here, with short words of those that are.
  ['Bu son tren mi', 'Bu tren mi'],
  ['Ali de son sınavı geçti mi', 'Ali de sınavı geçti mi'],
  ['Hur kör jag i bilen i Malmö', 'Hur kör jag bilen i Malmö'],
  ['Mi miatt megy el Anna', 'Mi miatt megy Anna'],
  ['Kan en hund spise is om vinteren', 'Kan en hund spise om vinteren'],
  ['Anna is ott van a boltban', 'Anna ott van a boltban'],
  ['Resep mie di Jakarta', 'Resep di Jakarta'],
  ['En iyi el kremi hangisi', 'En iyi kremi hangisi'],
  ['Poate el sa vina la mine', 'Poate sa vina la mine'],
  ['Kto mi powie o tym', 'Kto powie o tym'],
  // To acquire is not to buy, to erase not to delete.
  ['Wie kann ich die Staatsbürgerschaft erwerben', 'Wie kann ich die Staatsbürgerschaft kaufen'],
  ['Comment acquérir la nationalité française ?', 'Comment acheter la nationalité française ?'],
  ['¿Cómo adquirir la nacionalidad de España?', '¿Cómo comprar la nacionalidad de España?'],
  ['Come acquistare la cittadinanza italiana', 'Come comprare la cittadinanza italiana'],
  ['Como adquirir a nacionalidade por casamento', 'Como comprar a nacionalidade por casamento'],
  ['How do I erase a volume in Disk Utility', 'How do I delete a volume in Disk Utility'],
  // One parcel, several; the north-east, the north.
  ['Où est mon colis de Noël ?', 'Où sont mes colis de Noël ?'],
  ['Que visiter dans le nord est de la France ?', 'Que visiter dans le nord de la France ?'],
  // How it is, how to make it so.
  ['How do I look in this dress tonight', 'How to look in this dress tonight'],
  ['How do I compare with other players', 'How can I compare with other players'],
  ['How many people are behind the bars in London', 'How many people are behind bars in London'],
  ['What happens after the school in Rome', 'What happens after school in Rome'],
  // Code and formulas.
  ['What does split("") do in JavaScript', 'What does split() do in JavaScript'],
  ["What does split('') do in JavaScript", 'What does split() do in JavaScript'],
  ['Who is ‘the dog’ of my poem', 'Who is ‘dog’ of my poem'],
  ['What is 0.3\u0305 as a fraction', 'What is 0.3 as a fraction'],
  ['Where may I 🚬\u20E0 in Rome', 'Where may I 🚬 in Rome'],
  ['What does a ?? b do in js', 'What does a ? b do in js'],
  ['What does a ?: b do in kotlin', 'What does a : b do in kotlin'],
  ['What is the range a..b in ruby', 'What is the range a...b in ruby'],
  ['What does [a,b] do in Matlab', 'What does [a;b] do in Matlab'],
  ["Solve f'(x) = 2 for x", 'Solve f(x) = 2 for x'],
  ['How many kB are in a MB', 'How many Kb are in a MB'],
  ['Translate into German: Turkey', 'Translate into German: turkey'],
  // Words are the subject, or a text is handed over.
  ['Translate into Spanish: I am hungry', 'Translate into Spanish: We are hungry'],
  ["Translate 'the dogs' into French", "Translate 'a dog' into French"],
  ['How do you say the dog in German', 'How do you say a dog in German'],
  ['Traduce al inglés yo soy feliz', 'Traduce al inglés soy feliz'],
  ['Übersetze ins Englische: mein Hund', 'Übersetze ins Englische: unser Hund'],
  ['Name the mood: our happy new day', 'Name the mood: my happy new day'],
  ['Name the mood\nour happy new day', 'Name the mood\nmy happy new day'],
]

t.test('other words for the same question are one wording', async (t) => {
  for (const [first = '', ...others] of SAME) {
    for (const other of others) t.equal(wordingOf(other), wordingOf(first), `${first} = ${other}`)
  }
})

t.test('what differs in substance differs in wording', async (t) => {
  for (const [one, other] of DIFFERENT) t.not(wordingOf(one), wordingOf(other), `${one} / ${other}`)
})

t.test('a long question is read in time that grows with its length only', async (t) => {
  for (const hostile of [
    '"'.repeat(2_000),
    '[['.repeat(1_000),
    'a-'.repeat(1_000),
    '1.'.repeat(1_000),
    "'".repeat(2_000),
    '?'.repeat(2_000),
    ',;'.repeat(1_000),
    `A${'a'.repeat(1_999)}`,
  ]) {
    t.type(wordingOf(hostile), 'string')
  }
})
