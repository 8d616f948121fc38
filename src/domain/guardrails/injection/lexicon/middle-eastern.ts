/** Arabic, Persian, Hebrew and Turkish words by concept. */
import type { Lexicon } from './concepts.ts'

export const ARABIC: Lexicon = {
  override:
    'تجاهل* تجاهلي انس انسى انسَ أهمل* تخط* تجاوز* لا_تتبع لا_تلتزم توقف_عن_اتباع ألغ* اترك اكسر دعك خالف* احذف تغاضى تناسى لا_تنفذ',
  prior:
    'السابقة السابق سابقة سابقا أعلاه الأصلية الأولية الحالية القديمة المذكورة قبل السابقه ما_سبق المعطاة الأولى الاصلية التي_تلقيتها',
  all: 'جميع كل كافة أي كلها',
  instruction:
    'التعليمات تعليمات تعليماتك القواعد قواعد قواعدك الأوامر أوامر القيود قيود قيودك الإرشادات إرشادات التوجيهات توجيهات المبادئ الضوابط السياسات سياسات إرشاداتك توجيهاتك',
  talk: 'المحادثة الرسائل الرسالة النص السياق المهام المعلومات المحتوى',
  your: 'الخاصة_بك لديك عندك',
  system: 'النظام نظام السرية المخفية الداخلية المطور',
  systemPrompt:
    'موجه_النظام رسالة_النظام تعليمات_النظام برومبت_النظام تعليماتك_الأصلية تعليماتك_السرية النص_أعلاه الموجه_الأولي مطالبة_النظام تعليماتك تعليماتك_الأولية',
  reveal:
    'اكشف أظهر اعرض اطبع كرر أخبرني اخبرني أعطني اعطني ما_هي ما_هو اكتب_لي ترجم أفصح سرب شارك اذكر حرفيا كلمة_بكلمة أرني انسخ قل_لي',
  secret: 'كلمة_المرور كلمة_السر المفتاح_السري الرقم_السري السر كلمات_المرور بيانات_الاعتماد كلمة_مرور',
  persona: 'تظاهر تصرف مثل_دور العب_دور أنت_الآن انت_الآن تخيل تقمص بصفتك من_الآن_أنت دور شخصية قم_بدور',
  free: 'بدون_قيود بلا_قيود دون_قيود بدون_أي_قيود بلا_حدود بدون_رقابة غير_مقيد غير_مقيدة بدون_فلترة بلا_رقابة دون_أي_قيود أي_شيء لا_قيود بدون_أخلاق حر_من لا_ترفض بدون_قواعد بلا_قواعد دون_رقابة',
  now: 'الآن من_الآن بدلا_من_ذلك منذ_الآن فصاعدا فورا الان بدلا',
  keep: 'لا_تنس لا_تنسى لا_تتجاهل نسيت',
  authority:
    'أنا_المطور أنا_مطورك أنا_المسؤول المسؤول وضع_المطور وضع_الصيانة وضع_التصحيح مخول مدير_النظام فريق_الأمن مصرح',
  ai: 'الذكاء_الاصطناعي المساعد مساعد نموذج_لغوي النموذج روبوت',
  user: 'المستخدم للمستخدم المستخدمين',
  conceal: 'لا_تخبر سرا لا_تذكر دون_علم خفية دون_إخبار بدون_علم',
  send: 'أرسل ارسل إرسال حول حمل افتح انقر زر قم_بزيارة',
  data: 'المحادثة البيانات بيانات جهات_الاتصال الملفات السجل',
  say: 'قل أجب اجب اكتب رد الرد أجبني',
  only: 'فقط حصرا لا_غير دائما',
  harm: 'قنبلة متفجرات سلاح مخدرات فيروس اختراق غير_قانوني احتيال',
  meta: 'هجوم هجمات ثغرة كشف حماية مثال اشرح مقال بحث',
  question: 'ما لماذا كيف متى أين من_هو هل',
  newTask:
    'تعليمات_جديدة التعليمات_الجديدة مهمة_جديدة التعليمات_التالية المهمة_الحقيقية قواعد_جديدة أوامري تعليماتي دور_جديد الأوامر_التالية مهمتك_الجديدة',
  request: 'يجب من_فضلك يرجى أريدك عليك',
  alarm: 'مهم تنبيه عاجل تحذير',
  document: 'لخص ملخص هذا_النص هذه_الصفحة المستند',
}

export const PERSIAN_HEBREW: Lexicon = {
  override: 'نادیده فراموش چشم‌پوشی توجه_نکن پیروی_نکن התעלם* תתעלם* התעלמ* שכח* תשכח* אל_תציית דלג עקוף',
  prior: 'قبلی پیشین بالا اولیه הקודמות הקודמים הקודם לעיל המקוריות למעלה הראשוניות',
  all: 'تمام همه تمامی כל',
  instruction: 'دستورات دستورالعمل* قوانین دستورها محدودیت* ההוראות הוראות הכללים הנחיות ההנחיות ההגבלות',
  systemPrompt:
    'پرامپت_سیستم دستورات_سیستم پیام_سیستم הנחיית_המערכת הוראות_המערכת פרומפט_המערכת ההוראות_שלך ההנחיות_שלך',
  reveal: 'نشان_بده فاش بگو تکرار_کن چاپ افشا חשוף תחשוף הצג תציג גלה תגלה ספר_לי חזור הדפס הראה',
  secret: 'رمز_عبور گذرواژه הסיסמה סיסמה הסוד',
  persona: 'وانمود نقش تو_اکنون تظاهر העמד_פנים אתה_עכשיו אתה_כעת שחק דמיין',
  free: 'بدون_محدودیت بدون_سانسور بدون_قانون ללא_הגבלות בלי_הגבלות ללא_צנזורה בלי_כללים ללא_כללים',
  now: 'اکنون از_این_پس به_جای حالا מעכשיו במקום_זאת כעת עכשיו',
  say: 'پاسخ_بده بگو ענה אמור תגיד',
  only: 'فقط רק',
  newTask: 'دستورات_جدید دستور_جدید הוראות_חדשות משימה_חדשה',
}

export const TURKISH: Lexicon = {
  override:
    'yok_say* yoksay* görmezden_gel* unut unutun unutup dikkate_alma* boş_ver* aldırma* atla geç_geçersiz geçersiz_kıl* uyma uymayı_bırak* takip_etme* dikkate_almadan iptal_et* bypass_et* çiğne* ihlal_et* devre_dışı* es_geç* bir_kenara bırak',
  prior:
    'önceki yukarıdaki evvelki daha_önce* şimdiye_kadar* ilk başlangıç* mevcut asıl geçmiş* orijinal bundan_önceki şu_ana_kadar*',
  all: 'tüm bütün hepsini tümünü herhangi',
  instruction:
    'talimat* kural* yönerge* komut* emir* emirleri* kısıtlama* sınırlama* direktif* istem* ilke* filtre* yasak* politika* sınır*',
  your: 'senin sana sizin sahip_olduğun',
  system: 'sistem gizli dahili iç geliştirici',
  systemPrompt:
    'sistem_istemi* sistem_mesaj* sistem_talimat* sistem_prompt* başlangıç_istemi* talimatlarını talimatlarınızı gizli_talimat* sistem_komut* ilk_talimat* sistem_promptunu',
  reveal:
    'göster açıkla yazdır söyle tekrarla ifşa* paylaş listele çıktı_ver nedir nelerdir yaz_bana sızdır* çevir kelimesi_kelimesine aynen ver_bana kopyala açığa_çıkar*',
  secret: 'şifre şifreyi şifresi parola parolayı parolası gizli_anahtar* gizli_kelime* api_anahtar* şifren',
  persona:
    'gibi_davran* rol_yap* rolünü* rolüne artık_sen sen_artık şimdi_sen taklit_et* hayal_et* canlandır* gibi_yap* rolündesin bürün* oyna moduna',
  free: 'sınırsız* kısıtlamasız* sansürsüz* filtresiz* kuralsız* hiçbir_kural* hiçbir_kısıtlama* hiçbir_sınır* her_şeyi_yap* kısıtlaması_olmayan sınırı_olmayan ahlaki* etik_olmayan asla_reddetme* kuralı_olmayan kısıtlama_olmadan',
  now: 'şimdi bundan_sonra bundan_böyle artık yerine bunun_yerine şu_andan_itibaren hemen',
  keep: 'unutma unutmayın yok_sayma görmezden_gelme unuttum',
  authority:
    'geliştiriciyim ben_geliştirici* senin_geliştirici* yöneticiyim yönetici geliştirici_modu* bakım_modu* hata_ayıklama_modu* yetkili* admin_yetki* yaratıcın* güvenlik_ekibi*',
  ai: 'yapay_zeka* asistan* dil_modeli* sohbet_robotu* model',
  user: 'kullanıcı*',
  conceal: 'söyleme bahsetme gizlice haber_vermeden sormadan belirtme bildirme bilgisi_olmadan',
  send: 'gönder* ilet yükle aktar* tıkla* ziyaret_et* indir sil',
  data: 'konuşma* sohbet_geçmişi* kişisel_veri* verileri e-postaları kişileri dosyaları bilgilerini',
  say: 'cevap_ver* yanıtla* yaz cevapla* yanıt_ver*',
  only: 'sadece yalnızca yalnız tam_olarak başka_bir_şey',
  newTask:
    'yeni_talimat* yeni_görev* yeni_kural* aşağıdaki_talimat* gerçek_görev* yeni_rol* benim_talimat* talimatlarıma yeni_emir* şu_talimat* emirlerime',
  talk: 'mesaj* metin* bağlam* konuşma* görev* bilgi* sohbet*',
  question: 'neden nasıl nerede hangi kim niçin',
  meta: 'saldırı* güvenlik_açığı* tespit* önle* korun* örnek makale açıkla*',
  request: 'lütfen gerek zorunda istiyorum malısın melisin',
  alarm: 'önemli dikkat acil uyarı',
  document: 'özetle* belge* bu_metin* bu_sayfa*',
}
