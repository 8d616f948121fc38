/** Russian, Ukrainian, Polish, Czech and Serbo-Croatian words by concept. Stems, since these languages inflect. */
import type { Lexicon } from './concepts.ts'

export const RUSSIAN: Lexicon = {
  override:
    'игнорир* проигнорир* забудь забудьте забыть отбрось* пренебре* обойди* обойти отмени* не_следуй не_следуйте не_выполняй не_соблюдай не_обращай_внимания перестань_следовать пропусти* нарушь наруш* сбрось отключи* удали_все отвергни перезапиши не_учитывай',
  prior:
    'предыдущ* прежн* прошл* вышеуказанн* вышеприведенн* выше ранее раньше исходн* первоначальн* изначальн* начальн* данные_тебе полученн* до_этого имеющ* вышеизложенн* существующ* предшествующ* до_сих_пор вышесказанн* написанное_выше',
  all: 'все всех всё любые любых весь всю каждое',
  instruction:
    'инструкц* указан* правил* команд* ограничен* директив* предписан* приказ* настройк* фильтр* запрет* установк* задан* промпт* рекомендаци* политик* распоряжени*',
  talk: 'сообщени* текст контекст разговор задач* информаци* содержани* диалог сказанн*',
  your: 'твои твоих твой твоего ваши ваших свои своих твою твоя тебе_дали ваш',
  system: 'системн* скрыт* секретн* внутренн* конфиденциальн* разработчик*',
  systemPrompt:
    'системный_промпт системного_промпта системное_сообщение системные_инструкции системных_инструкций системную_подсказку системная_подсказка системную_инструкцию начальный_промпт исходный_промпт свои_инструкции твои_инструкции свой_промпт твой_промпт текст_выше ваши_инструкции изначальный_промпт первоначальные_инструкции скрытые_инструкции свои_правила',
  reveal:
    'покажи* раскрой* выведи* напечатай* повтори* скажи_мне назови* расскажи* выдай* сообщи* напиши_свои какой_у_тебя каков* переведи* процитируй* дословно слово_в_слово перечисли* озвучь поделись скопируй какие_у_тебя что_написано',
  secret:
    'пароль пароля паролем пароли секрет секретное_слово секретный_ключ кодовое_слово ключ_api учетные_данные апи-ключ',
  persona:
    'притвор* представь действуй_как веди_себя ты_теперь теперь_ты вы_теперь теперь_вы сыграй играй_роль изобрази войди_в_роль роль роли отвечай_как стань вообрази имитируй ты_больше_не',
  free: 'без_ограничений без_каких-либо_ограничений без_правил без_цензуры без_фильтров без_запретов неограниченн* нецензурн* нет_ограничений нет_правил нет_никаких никаких_ограничений никаких_правил без_морали свободн* что_угодно делать_все без_этики никогда_не_отказыва* не_можешь_отказа* аморальн*',
  now: 'теперь сейчас отныне с_этого_момента вместо_этого впредь немедленно',
  keep: 'не_забудь не_забудьте не_игнорируй не_забывай не_забывайте я_забыл',
  authority:
    'я_разработчик я_твой_разработчик твой_разработчик твой_создатель администратор* режим_разработчика режим_отладки режим_обслуживания уполномочен* я_администратор сервисный_режим служба_безопасности',
  ai: 'ии ассистент* языковая_модель языковой_модели нейросет* чат-бот* бот модель искусственный_интеллект помощник*',
  user: 'пользовател*',
  conceal:
    'не_говори не_сообщай не_упоминай тайно незаметно скрытно втайне без_ведома не_уведомляй не_рассказывай без_подтверждения',
  send: 'отправь* перешли* пошли переведи* загрузи* перейди* открой* скачай* вышли',
  data: 'переписк* истори* данные контакты файлы письма логин* беседы разговора',
  say: 'ответь отвечай скажи напиши ответ пиши отвечайте',
  only: 'только исключительно лишь ровно ничего_больше ничего_другого просто всегда',
  harm: 'бомб* взрывчат* оружи* наркот* вирус* взлом* яд убий* незаконн* мошенн*',
  meta: 'атак* уязвимост* обнаруж* предотвра* защит* пример исследован* статья статью объясни* означает',
  question: 'что почему как когда где какой какая какие кто зачем',
  newTask:
    'новые_инструкции новая_инструкция новое_задание новая_задача новые_правила следующие_инструкции следующим_инструкциям настоящая_задача мои_инструкции моим_инструкциям мои_команды новая_роль новые_указания слушай_меня новых_инструкций',
  alarm: 'важно внимание срочно предупреждение',
  request: 'пожалуйста должен должны нужно необходимо обязан хочу_чтобы прошу',
  document: 'резюмир* документ этот_текст страниц* письмо кратко_излож* этого_документа',
}

export const UKRAINIAN: Lexicon = {
  override:
    'ігнор* проігнор* забудь забудьте забути знехту* відкинь* обійди* скасуй* не_виконуй не_дотримуйся не_слідуй не_зважай не_звертай_уваги порушуй поруш* вимкни',
  prior: 'попередн* вищезазначен* вище раніше початков* первинн* отриман* дотепер наявн* минул* досі наведен*',
  all: 'усі всі всіх усіх будь-які все',
  instruction:
    'інструкц* вказівк* вказівок правил* команд* обмежен* директив* наказ* настанов* розпоряджен* фільтр* заборон* підказк*',
  your: 'твої твоїх свої своїх ваші ваших твій твого',
  system: 'системн* прихован* секретн* таємн* внутрішн*',
  systemPrompt:
    'системний_промпт системну_підказку системного_промпту системні_інструкції системну_інструкцію свої_інструкції твої_інструкції системне_повідомлення початковий_промпт текст_вище свій_промпт твій_промпт ваші_інструкції',
  reveal:
    'покажи* розкрий* виведи* надрукуй* повтори* скажи_мені назви* розкажи* видай який_у_тебе переклади* дослівно слово_в_слово поділись озвуч',
  secret: 'пароль пароля паролі секрет секретне_слово ключ таємниця',
  persona: 'уяви прикинься вдавай поводься дій_як ти_тепер тепер_ти зіграй роль відповідай_як стань',
  free: 'без_обмежень без_правил без_цензури без_фільтрів необмежен* немає_обмежень жодних_обмежень жодних_правил будь-що без_заборон',
  now: 'тепер зараз відтепер натомість надалі замість_цього негайно',
  keep: 'не_забудь не_забудьте не_ігноруй',
  authority: 'я_розробник твій_розробник адміністратор* режим_розробника режим_налагодження уповноважен*',
  ai: 'ші асистент* мовна_модель помічник* чат-бот*',
  user: 'користувач*',
  conceal: 'не_кажи не_згадуй таємно непомітно не_повідомляй без_відома',
  send: 'надішли* перешли* відправ* завантаж* перейди* відкрий*',
  say: 'відповідай скажи напиши відповідь',
  only: 'тільки лише виключно нічого_більше',
  newTask:
    'нові_інструкції нове_завдання нові_правила нова_роль мої_інструкції моїх_інструкцій нові_вказівки такі_інструкції',
  question: 'що чому як коли де який яка які хто',
  meta: 'атак* вразливіст* захист* приклад поясни* виявля*',
  request: 'будь_ласка повинен повинні потрібно маєш',
}

export const POLISH: Lexicon = {
  override:
    'zignoruj ignoruj ignorować zapomnij zapomnieć pomiń pomijaj pomijając odrzuć obejdź omiń nie_przestrzegaj nie_stosuj nie_wykonuj przestań_przestrzegać nadpisz anuluj złam lekceważ zlekceważ unieważnij wyłącz skasuj nie_zwracaj_uwagi porzuć',
  prior:
    'poprzedni* wcześniejsz* powyższ* dotychczasow* początkow* pierwotn* uprzedni* powyżej wcześniej otrzyman* oryginaln* dotąd istniejąc* przed_chwilą',
  all: 'wszystkie wszystkich wszystko wszelkie każde całą cały',
  instruction:
    'instrukcj* polecen* zasad* reguł* wytyczn* rozkaz* ogranicze* dyrektyw* wskazów* nakaz* komend* filtr* zalece*',
  your: 'twoje twoich twój twojego swoje swoich swój twoja',
  system: 'systemow* ukryt* tajn* wewnętrzn* poufn* deweloper* programist*',
  systemPrompt:
    'prompt_systemowy promptu_systemowego monit_systemowy wiadomość_systemową instrukcje_systemowe instrukcji_systemowych swoje_instrukcje twoje_instrukcje początkowy_prompt tekst_powyżej polecenie_systemowe swój_prompt twój_prompt komunikat_systemowy',
  reveal:
    'pokaż ujawnij wyświetl wypisz powtórz podaj zdradź wydrukuj powiedz_mi napisz_swoje jaki_jest jakie_są jakie_masz jakie_jest przetłumacz zacytuj słowo_w_słowo dosłownie opowiedz wyjaw przepisz',
  secret: 'hasło hasła hasłem haseł sekret tajny_klucz klucz_api tajne_słowo dane_logowania',
  persona:
    'udawaj zachowuj_się jesteś_teraz teraz_jesteś wciel_się odgrywaj działaj_jako graj_rolę wyobraź_sobie od_teraz_jesteś odpowiadaj_jako rolę stań_się',
  free: 'bez_ogranicze* bez_żadnych_ograniczeń bez_zasad bez_cenzury bez_filtr* nieogranicz* nieocenzurowan* żadnych_zasad żadnych_ograniczeń wolny_od wszystko_możesz bez_reguł nie_masz_ograniczeń nigdy_nie_odmawia* bez_moralności',
  now: 'teraz od_teraz odtąd zamiast_tego natychmiast od_tej_pory',
  keep: 'nie_zapomnij nie_ignoruj nie_zapominaj zapomniałem zapomniałam nie_pomijaj',
  authority:
    'jestem_programistą jestem_twoim_twórcą jestem_administratorem administrator* tryb_deweloper* tryb_programisty tryb_debugowania upoważnion* tryb_serwisowy jestem_deweloperem twój_twórca',
  ai: 'si asystent* model_językowy modelu_językowego sztuczna_inteligencja chatbota',
  user: 'użytkownik*',
  conceal: 'nie_mów nie_wspominaj potajemnie w_tajemnicy nie_informuj bez_wiedzy nie_ujawniaj_tego bez_pytania',
  send: 'wyślij prześlij przekaż przelej pobierz otwórz kliknij odwiedź',
  data: 'rozmow* histori* dane_osobowe dane kontakty pliki wiadomości',
  say: 'odpowiedz odpowiadaj powiedz napisz odpowiedź',
  only: 'tylko wyłącznie jedynie dokładnie nic_więcej',
  newTask:
    'nowe_instrukcje nowe_zadanie nowe_polecenia nowe_zasady następujące_instrukcje prawdziwe_zadanie nowa_rola moje_polecenia moich_poleceń następujących_instrukcji nowe_polecenie moje_instrukcje',
  talk: 'wiadomoś* tekst kontekst rozmow* zadani* informacj* treś*',
  question: 'co dlaczego jak kiedy gdzie jaki jaka kto',
  meta: 'atak* podatnoś* wykry* zapobieg* chroni* przykład wyjaśnij artykuł',
  alarm: 'ważne uwaga pilne ostrzeżenie',
  request: 'proszę musisz powinieneś należy chcę_żebyś',
  document: 'streść podsumuj dokument ten_tekst tej_strony',
}

export const OTHER_SLAVIC: Lexicon = {
  override:
    'ignoruj ignorujte zapomeň zapomeňte přeskoč obejdi nedodržuj neřiď_se nerespektuj ignoriraj ignoriši zanemari zaboravi игнориши занемари заборави игнорирай забрави пренебрегни',
  prior:
    'předchozí předešlé výše původní dosavadní predchádzajúce prethodne prethodna ranije претходне предишните предишни горните',
  all: 'všechny veškeré všetky sve сите всички',
  instruction:
    'pokyny pokynů instrukce instrukcí pravidla příkazy omezení inštrukcie uputstva upute naredbe упутства инструкции инструкциите',
  your: 'tvé svoje své tvoje tvůj твоите твоје',
  systemPrompt:
    'systémový_prompt systémovou_zprávu systémové_pokyny sistemski_prompt sistemske_upute sistemsku_poruku své_pokyny системния_промпт',
  reveal: 'ukaž odhal zobraz vypiš zopakuj prozraď řekni_mi pokaži otkrij ispiši ponovi prikaži покажи разкрий',
  secret: 'heslo hesla lozinka lozinku šifra парола паролата',
  persona: 'předstírej chovej_se jsi_nyní nyní_jsi pretvaraj_se ponašaj_se sada_si преструвай_се',
  free: 'bez_omezení bez_pravidel bez_cenzury bez_filtrů neomezen* bez_ograničenja bez_pravila bez_cenzure без_ограничения',
  now: 'nyní místo_toho umjesto_toga umesto_toga од_сада odsad од_сега',
  newTask: 'nové_pokyny nový_úkol nové_instrukce nove_upute novi_zadatak нови_инструкции',
  say: 'odpověz odpovídej odgovori кажи отговори',
  only: 'pouze jenom samo само',
}
