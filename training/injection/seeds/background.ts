/**
 * Ordinary language with a wide vocabulary: sentences drawn from word lists, without a meaning worth having. They teach the classifier
 * that common words, whatever their order, say nothing about attacks; without them it takes every unfamiliar text for one.
 */
import type { WordLists } from '../grammar.ts'

function words(text: string): string[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll('_', ' '))
}

export const BACKGROUND_WORDS: WordLists = {
  n: words(`
    banner pattern overload wrapper iterator generator closure mutex semaphore bitmap codec payload packet checksum digest signature handshake tunnel gateway cluster container pod volume snapshot backup archive tarball binary executable shell terminal console keyboard mouse monitor laptop tablet sensor robot drone engine turbine valve pump pipe cable wire battery charger lamp bulb switch fuse circuit resistor transistor antenna radio satellite telescope microscope lens camera photo video audio microphone speaker headphone guitar piano violin drum choir orchestra concert festival carnival holiday birthday wedding funeral ceremony prayer temple mosque cathedral monk priest saint angel devil ghost witch dragon giant fairy hero villain legend myth novel diary biography essay journal magazine newspaper headline editor reporter interview survey poll statistic percentage fraction equation formula theorem proof axiom geometry algebra calculus probability variance matrix vector tensor gradient
    sailor captain ship boat harbor anchor sail wave tide shore cliff cave desert jungle swamp meadow valley canyon glacier volcano earthquake flood drought famine disease virus bacteria vaccine antibody protein enzyme hormone gene cell tissue organ liver kidney lung stomach nerve spine tooth tongue nose ear eye finger hand arm shoulder knee foot shoe boot coat shirt trousers skirt dress hat scarf glove pocket button zipper needle thread wool cotton silk leather linen carpet curtain pillow blanket mattress lamp shelf cupboard drawer mirror sink shower towel soap brush comb razor perfume jewel ring necklace bracelet crown sword shield arrow bow spear castle tower dungeon knight soldier general battle siege treaty rebellion revolution constitution amendment clause statute verdict sentence prison guard thief burglar detective clue alibi evidence witness
    farmer field plough harvest wheat corn barley oat bean pea lentil cabbage spinach carrot tomato pumpkin mushroom berry grape cherry peach plum pear melon honey jam syrup vinegar oil spice herb basil thyme mint ginger chili sauce soup stew roast grill barbecue picnic buffet menu chef baker butcher grocer plumber carpenter electrician mason tailor barber hairdresser pilot driver mechanic engineer architect scientist chemist biologist physicist astronomer historian philosopher linguist psychologist therapist dentist surgeon pharmacist veterinarian lawyer accountant banker broker investor shareholder dividend bond stock portfolio mortgage insurance premium pension allowance wage bonus receipt refund coupon catalog warehouse shipment cargo parcel envelope stamp postcard mailbox telephone dial tone
    server client array object string number value field record table index column query schema module package library framework plugin component interface method class instance variable constant argument option flag default callback promise stream buffer chunk token parser compiler linter formatter test suite build release version branch commit repository license badge logo documentation example tutorial guide section chapter page paragraph heading link image screenshot
    browser window tab cookie header body request response status error exception warning log trace stack thread process worker queue job scheduler timer clock date month year hour minute second network socket port address domain certificate proxy cache memory disk file folder path directory permission owner group account login session event listener handler hook state store action reducer view template layout style color font button form input label menu dialog
    river mountain forest garden tree flower seed leaf root soil rain snow wind storm summer winter morning evening city town village street bridge station airport train bus bicycle car engine wheel road map journey ticket hotel room kitchen table chair door window wall roof house apartment neighbor family mother father brother sister child baby friend teacher student school university library book story poem song music film theater museum painting artist writer
    doctor nurse patient hospital medicine pain heart brain blood muscle bone skin health diet exercise sleep coffee tea bread cheese butter milk egg sugar salt pepper rice soup salad fruit apple lemon orange potato onion garlic meat fish chicken recipe oven pan bowl spoon dinner lunch breakfast restaurant waiter customer price discount budget bank loan tax income salary market company factory office manager employee colleague meeting project deadline report contract invoice order delivery
    product service brand design quality warranty government president minister parliament law court judge police crime election vote party citizen border war peace army history century empire king queen religion church science theory experiment laboratory result method sample measure energy light sound temperature pressure water air gas metal stone glass plastic paper cloth planet star moon sun ocean island coast beach animal dog cat horse bird cow sheep insect game team player coach goal match league season medal fan ball
    idea thought feeling reason cause effect problem solution question answer choice decision plan purpose chance risk danger success failure mistake lesson habit skill talent dream hope fear love anger joy culture language word sentence meaning sound voice letter message note list chart graph figure shape line circle square corner edge surface center side front back top bottom end beginning middle part piece half amount size length weight height distance speed rate level degree range limit minimum maximum average total sum difference change increase
    member support issue feature performance security setting configuration instruction rule prompt system user model agent assistant data content context environment key password secret policy guideline developer administrator access role mode output text conversation task`),
  v: words(`
    use create build run start stop open close read write send receive return accept reject check test validate parse convert format render display show hide print load save store delete remove add insert update replace change modify extend configure install import export define declare call invoke execute handle process wait sleep skip ignore include exclude filter sort search find match compare count measure compute calculate estimate predict learn train teach explain describe discuss mention suggest recommend ask answer
    tell say speak talk listen hear watch see look notice feel think believe know understand remember forget decide choose prefer want need like love hate hope expect plan prepare organize manage lead follow join leave visit travel walk drive ride fly swim climb carry bring take give get keep hold put place move turn push pull cut break fix repair clean wash cook bake eat drink buy sell pay cost spend save earn win lose play practice perform sing dance draw paint design grow plant water feed help support protect
    avoid prevent allow enable disable require ensure provide offer produce reduce improve increase raise lower connect separate share contain cover reach pass cross enter exit return continue finish complete begin happen appear disappear become remain stay live die work serve study publish report sign approve review reveal override bypass act pretend repeat output respond reply`),
  a: words(`
    new old big small large tiny long short high low fast slow early late good bad better best simple complex easy hard difficult useful important common rare special general specific local global public private internal external optional required available missing empty full open closed free safe dangerous clean dirty dry wet hot cold warm cool bright dark heavy light strong weak soft loud quiet young ancient modern recent current previous next first last final main basic advanced direct indirect exact possible likely certain different similar same equal
    natural artificial human social political economic financial legal medical technical digital electric mechanical chemical physical mental personal professional international national regional urban rural famous popular successful beautiful ugly happy sad angry calm nervous proud tired hungry rich poor cheap expensive fresh sweet sour bitter red blue green yellow black white gray brown silver golden round flat sharp smooth rough deep shallow wide narrow whole single double hidden visible safe initial original secret`),
  r: words(
    'quickly slowly carefully usually often sometimes rarely never always already still soon later again together alone everywhere here there outside inside almost nearly exactly only also even just quite very really perhaps probably certainly simply directly automatically manually however therefore otherwise instead meanwhile finally first then afterwards now today yesterday tomorrow recently eventually',
  ),
  p: words(
    'in on at by with without from to for of about after before during until over under between through against along across behind beside into near since within according_to because_of instead_of due_to as_well_as',
  ),
  who: words(
    'I you we they he she it people users everyone somebody nobody visitors customers students researchers developers most_people the_author the_team my_friend our_neighbor the_committee a_reader',
  ),
  ident: words(
    'getUser parse_config maxRetries onClick user_id isEmpty fetchData toString HTTP_PORT render() init() __main__ useState app.listen console.log std::vector np.array df.head() README.md package.json config.yaml index.html /usr/local/bin src/main.rs v1.2.3 2.0.0-beta localhost:8080 UTF-8 ISO-8601 O(n) x86_64 JSON YAML HTML CSS SQL HTTP API CLI SDK GPU RFC UUID',
  ),
}

/** Sentences of many registers. `{n}` noun, `{v}` verb, `{a}` adjective, `{r}` adverb, `{p}` preposition, `{who}` subject. */
export const BACKGROUND: readonly string[] = [
  'This {n} can also be used as [a|an] {n} for {a} {n}s. You can use it like this: <code>{ident}</code>.',
  "You might find yourself {r} [wanting|having] to {v} the {n}, for example [because|when] the {n} [isn't|doesn't|won't] {v}.",
  'Permission to {v} the {n} is [hereby |]granted, provided that the above {n} and this {n} appear in all {n}s.',
  '<p align="center"><a href="#{n}"><code>{ident}</code></a> is the only {n} that is {a}<br><i>(i.e. that {v}s to {n})</i></p>',
  '- `{n}({n}, [{n}])` - No {n}s {v}ed. Just {v} the {n}. Returns the {a} {n}. (?boolean = false)',
  'If it {v}s that it is being {v}ed on {ident}, it will use `{ident}` and `{ident}` to {v} the {n}.',
  '> [!CAUTION]\n> Please be {a}, this {n} {v}s {n}s, by design. The intended purpose of this {n} is to {v} {n}s.',
  '* [{n}](#{n}) * [{n}](#{n}) * [{n}](#{n})',
  "It's up to you whether [you'd like to|to] {v} the {n} or {v} it yourself; we'd {r} {v} both.",
  "There's no {n}, though, so if you {v} that it won't {r} {v} or {v} {a} {n}s.",
  "I've been {v}ing the {n} for {number} years and I still don't {v} why the {n} {v}s.",
  "She told him that she'd {v} the {n} if he {v}ed the {a} {n}, but he couldn't.",
  "Let's {v} the {n} together: what would you {v} first, the {n} or the {n}?",
  'Any {n} that you {v} will be {v}ed [unless|until|if] you {v} another {n}; nothing else [changes|happens|is lost].',
  'Which of these {n}s would [never|always|not] {v} without {a} {n}s? Choose one and {v} why.',
  'Imagine a {n} with no {n}s: how would {who} {v} the {n} and what would {v} next?',
  'You are {v}ing a {n} and your {n} is {a}. What do you {v}?',
  'Write a {n} that {v}s only {a} {n}s and [nothing else|no {n}s|never {v}s].',
  "Here is my {n}: {n}, {n}, {n}. Tell me [what|which|how] to {v} and don't {v} the {n}.",
  "As far as I know, the {n} isn't {a} [at all|anymore|yet]; do you know [a|any] {n} that is?",
  'The {a} {n} [is|was|will be|has been|can be] {a} {p} the {n}.',
  '{who} [can|could|should|may|must|will|would|might] {v} the {n} {p} [a|the|your|our|their|my|this] {a} {n}.',
  'To {v} [a|the|your|all] {n}, {v} the {n} and {v} it {p} {ident}.',
  'If you [want|need|have] to {v} the {n}, [see|read|use|check|call] the {n} below.',
  '{r}, the {n} [did not|does not|could not|will not] {v} the {a} {n}.',
  'Use `{ident}` to {v} [the|a|every|all] {n}s {p} {a} {n}s.',
  '- `{ident}`: [the|a|optional|an optional] {a} {n} to {v}. Default is `{ident}`.',
  '| {n} | {a} | {ident} | {n} |',
  'This [allows|lets|helps|makes it possible for] {who} to {v} {a} {n}s and {n}s.',
  'Note that {n}s are {r} {v}ed when the {n} is {a}.',
  'What is the {a} {n} of [a|the] {n}?',
  'How [do|does|did|can|should] {who} {v} [a|the|my|your] {a} {n}?',
  'Why [is|are|was] the {n} {a} {p} the {n}?',
  'Please {v} the {n} {p} [my|the|this] {a} {n}.',
  'Can you {v} [a|the|my|some] {a} {n} {p} {n}s?',
  '{who} said that the {n} [was|is] {a} and that {who} [wanted|needed|had] to {v} it.',
  'In the {n}, {a} {n}s {v} {a} {n}s, which {v} the {n}.',
  'It is {r} {a} to {v} {n}s {p} a {n}.',
  'There [are|were] {number} {a} {n}s {p} the {n}, and {who} {r} {v}ed them.',
  'const {n} = {ident}; // {v} the {a} {n}',
  'function {v}({n}, {n}) {\n  return {n}.{v}({number})\n}',
  '# {v} the {n}\n{n} = {ident}({number})\nfor {n} in {n}s:\n    {v}({n})',
  '{"{n}": "{a} {n}", "{n}": {number}, "{n}": ["{n}", "{n}"]}',
  '[{n}](https://{n}.example/{n}/{n}) - {v} {a} {n}s',
  '## {a} {n}\n\n{who} {v} the {n}. The {n} {v}s {p} the {n}.',
  'You [have to|need to|should|must|can] {v} the {n} before you {v} it.',
  'Do not {v} the {n} [if|when|unless|until] the {n} is {a}.',
  '{v} your {n}, {v} the {n} and [enjoy|wait|try] the {a} {n}.',
  'My {n} is {a}, so I {v} it {r}.',
  'Write [a|an|the] {a} {n} about [the|a] {n} {p} the {n}.',
  'Give me [a|the|some|five] {a} {n}s [to|that] {v} {p} the {n}.',
  'I {v}ed the {n} {r}, but the {a} {n} did not {v}.',
  'All {n}s [must|should] be {a}; all other {n}s are {a}.',
  'The previous {n} was {a}, the new {n} is {a}.',
  'From {n} to {n}: [a|the] {a} {n} of {n}s.',
  'See the {n} for {a} {n}s, or {v} {who} {p} the {n}.',
  'Only {a} {n}s {v} the {n}; [anything else|everything else|the rest] will be {v}ed.',
  '"The {n} is {a}," {who} said, "and you {v} it like a {n}."',
  'Your {n} [is|has been|was] {v}ed. [You can|We will|Please] {v} {p} {number} {n}s.',
  'Returns the {n} of the {n}, or `{ident}` when [the|no] {n} is {a}.',
  'As a {n}, {who} {v} {a} {n}s {p} {a} {n}s {r}.',
  '{who} [are|is|was] {a}, {a} and {r} {a}.',
  'Tell me [how|why|when] {who} {v} the {n} {p} {n}s.',
  'Warning: the {a} {n} will {v} [all|every|any] {n} {p} the {n}.',
  '{n} {n}: {a} {n}, {number} {n}s, {v} {p} {n}.',
  'We {v} {n}s because {who} {v} {a} {n}s, not {n}s.',
  'The {n} of the {n} and the {n} of the {n} are {a}; {who} {r} {v} them both.',
  'When the {n} {v}s, the {a} {n} [will|may|can] {r} {v}.',
  '* {v} {n}\n* {v} the {a} {n}\n* {v} {n}s {p} {n}',
  'ERROR {ident}: {n} {n} could not {v} {n} {number}',
]

/** Common words of other languages; drawn at random, eight to fifteen in a row. */
export const FOREIGN_WORDS: Readonly<Record<string, readonly string[]>> = {
  de: words(
    'der die das und ist nicht ein eine ich wir sie haben werden kann muss soll mit auf für von zu bei nach über unter Haus Stadt Wasser Buch Kind Schule Arbeit Zeit Jahr Tag Weg Zug Auto Brot Sonne groß klein gut neu alt schön schnell heute morgen gestern immer oft gehen kommen sehen sagen machen lesen schreiben kaufen spielen lernen warum wie was bitte danke schon noch auch nur sehr wenn weil dass Frage Antwort Text Regel Aufgabe Name zeigen geben helfen erklären deine meine alle',
  ),
  fr: words(
    "le la les un une et est pas ne je tu nous vous ils avoir être faire peut doit avec pour dans sur par de du des maison ville eau livre enfant école travail temps année jour chemin train voiture pain soleil grand petit bon nouveau vieux beau vite aujourd'hui demain hier toujours souvent aller venir voir dire lire écrire acheter jouer apprendre pourquoi comment quoi merci aussi très si parce que question réponse texte règle montrer donner aider expliquer ton mon tout tous",
  ),
  es: words(
    'el la los las un una y es no yo tú nosotros ellos tener ser hacer puede debe con para en sobre por de del casa ciudad agua libro niño escuela trabajo tiempo año día camino tren coche pan sol grande pequeño bueno nuevo viejo bonito rápido hoy mañana ayer siempre mucho ir venir ver decir leer escribir comprar jugar aprender cómo qué gracias también muy si porque que pregunta respuesta texto regla mostrar dar ayudar explicar tu mi todo todos',
  ),
  pt: words(
    'o a os as um uma e é não eu você nós eles ter ser fazer pode deve com para em sobre por de do casa cidade água livro menino escola trabalho tempo ano dia caminho trem carro pão sol grande pequeno bom novo velho bonito rápido hoje amanhã ontem sempre muito ir vir ver dizer ler escrever comprar jogar aprender como que obrigado também se porque pergunta resposta texto regra mostrar dar ajudar explicar seu meu tudo todos',
  ),
  it: words(
    'il la i le un una e è non io tu noi loro avere essere fare può deve con per in su da di del casa città acqua libro bambino scuola lavoro tempo anno giorno strada treno macchina pane sole grande piccolo buono nuovo vecchio bello veloce oggi domani ieri sempre molto andare venire vedere dire leggere scrivere comprare giocare imparare come cosa grazie anche se perché domanda risposta testo regola mostrare dare aiutare spiegare tuo mio tutto tutti',
  ),
  nl: words(
    'de het een en is niet ik jij wij zij hebben zijn maken kan moet met voor in op van naar huis stad water boek kind school werk tijd jaar dag weg trein auto brood zon groot klein goed nieuw oud mooi snel vandaag morgen gisteren altijd vaak gaan komen zien zeggen lezen schrijven kopen spelen leren waarom hoe wat dank ook heel als omdat dat vraag antwoord tekst regel tonen geven helpen uitleggen jouw mijn alle',
  ),
  pl: words(
    'i jest nie ja ty my oni mieć być robić może musi z dla w na od do dom miasto woda książka dziecko szkoła praca czas rok dzień droga pociąg samochód chleb słońce duży mały dobry nowy stary piękny szybko dziś jutro wczoraj zawsze często iść widzieć mówić czytać pisać kupić grać uczyć dlaczego jak co dziękuję też bardzo jeśli bo że pytanie odpowiedź tekst zasada pokazać dać pomóc wyjaśnić twój mój wszystko',
  ),
  ru: words(
    'и не я ты мы они быть иметь делать может должен с для в на от к дом город вода книга ребенок школа работа время год день дорога поезд машина хлеб солнце большой маленький хороший новый старый красивый быстро сегодня завтра вчера всегда часто идти видеть говорить читать писать купить играть учить почему как что спасибо тоже очень если потому что вопрос ответ текст правило показать дать помочь объяснить твой мой все',
  ),
  uk: words(
    'і не я ти ми вони бути мати робити може повинен з для в на від до дім місто вода книга дитина школа робота час рік день дорога потяг машина хліб сонце великий малий добрий новий старий гарний швидко сьогодні завтра вчора завжди часто йти бачити говорити читати писати купити грати вчити чому як що дякую також дуже якщо тому питання відповідь текст правило показати дати допомогти пояснити твій мій усе',
  ),
  tr: words(
    've değil ben sen biz onlar olmak yapmak bir bu şu için ile ev şehir su kitap çocuk okul iş zaman yıl gün yol tren araba ekmek güneş büyük küçük iyi yeni eski güzel hızlı bugün yarın dün sık gitmek gelmek görmek söylemek okumak yazmak almak oynamak öğrenmek neden nasıl ne teşekkürler çok eğer çünkü soru cevap metin kural göstermek vermek yardım açıklamak senin benim hepsi',
  ),
  ar: words(
    'و في من إلى على لا أنا أنت نحن هم كان يكون يفعل يمكن يجب مع بيت مدينة ماء كتاب طفل مدرسة عمل وقت سنة يوم طريق قطار سيارة خبز شمس كبير صغير جيد جديد قديم جميل بسرعة اليوم غدا أمس دائما ذهب رأى قال قرأ كتب اشترى لعب تعلم لماذا كيف ماذا شكرا أيضا جدا إذا لأن سؤال جواب نص قاعدة ساعد شرح كل',
  ),
  hi: words(
    'और नहीं मैं तुम हम वे है होना करना सकता चाहिए के लिए में पर से को घर शहर पानी किताब बच्चा स्कूल काम समय साल दिन रास्ता ट्रेन गाड़ी रोटी सूरज बड़ा छोटा अच्छा नया पुराना सुंदर जल्दी आज कल हमेशा जाना देखना कहना पढ़ना लिखना खरीदना खेलना सीखना क्यों कैसे क्या धन्यवाद भी बहुत अगर क्योंकि सवाल जवाब पाठ नियम दिखाना देना मदद समझाना सब',
  ),
  zh: words(
    '的 是 不 我 你 我们 他们 有 做 可以 应该 和 在 对 从 家 城市 水 书 孩子 学校 工作 时间 年 天 路 火车 汽车 面包 太阳 大 小 好 新 旧 漂亮 快 今天 明天 昨天 总是 经常 去 来 看 说 读 写 买 玩 学 为什么 怎么 什么 谢谢 也 很 如果 因为 问题 回答 文字 规则 给 帮助 解释 所有 请',
  ),
  ja: words(
    'は が を に で と の です ます ない 私 あなた 家 町 水 本 子供 学校 仕事 時間 年 日 道 電車 車 パン 太陽 大きい 小さい 良い 新しい 古い 美しい 速い 今日 明日 昨日 いつも 行く 来る 見る 言う 読む 書く 買う 遊ぶ 学ぶ なぜ どう 何 ありがとう も とても もし から 質問 答え 文 見せる 助ける 説明 すべて ください',
  ),
  ko: words(
    '은 는 이 가 을 를 에 에서 와 나 너 우리 그들 있다 하다 집 도시 물 책 아이 학교 일 시간 년 날 길 기차 자동차 빵 태양 큰 작은 좋은 새로운 오래된 예쁜 빠른 오늘 내일 어제 항상 가다 오다 보다 말하다 읽다 쓰다 사다 놀다 배우다 왜 어떻게 무엇 감사합니다 도 매우 만약 질문 대답 글 보여주다 돕다 설명하다 모두',
  ),
  id: words(
    'dan tidak saya kamu kami mereka ada adalah membuat bisa harus dengan untuk di ke dari rumah kota air buku anak sekolah kerja waktu tahun hari jalan kereta mobil roti matahari besar kecil baik baru lama indah cepat hari_ini besok kemarin selalu pergi datang melihat berkata membaca menulis membeli bermain belajar mengapa bagaimana apa terima_kasih juga sangat jika karena pertanyaan jawaban teks menunjukkan memberi membantu menjelaskan semua',
  ),
  vi: words(
    'và không tôi bạn chúng_ta họ có là làm có_thể phải với cho trong ở từ nhà thành_phố nước sách trẻ_em trường việc thời_gian năm ngày đường tàu xe bánh_mì mặt_trời lớn nhỏ tốt mới cũ đẹp nhanh hôm_nay ngày_mai hôm_qua luôn đi đến nhìn nói đọc viết mua chơi học tại_sao thế_nào gì cảm_ơn cũng rất nếu vì câu_hỏi trả_lời văn_bản cho giúp giải_thích tất_cả',
  ),
  sv: words(
    'och inte jag du vi de är ha göra kan måste med för i på av till hus stad vatten bok barn skola arbete tid år dag väg tåg bil bröd sol stor liten bra ny gammal vacker snabbt idag imorgon igår alltid ofta gå komma se säga läsa skriva köpa spela lära varför hur vad tack också mycket om eftersom fråga svar text regel ge hjälpa förklara din min alla',
  ),
}
