/**
 * Chinese, Japanese, Korean, Arabic, Persian, Hebrew, Turkish, Hindi, Bengali, Vietnamese, Indonesian and Thai words by concept.
 * Words of scripts without blanks are phrases of single characters; Korean ones are stems, since particles follow.
 */
import type { Lexicon } from './concepts.ts'

export const CHINESE: Lexicon = {
  override:
    '忽略 忽视 無視 无视 忘记 忘掉 忘記 不要遵守 不要遵循 不再遵守 不再遵循 不必遵守 无需遵守 不遵守 绕过 繞過 绕开 覆盖 抛弃 丢弃 违反 取消 撤销 跳过 废除 解除 别管 不用管 不要理会 不理会 突破 打破 清除 屏蔽 停止遵守 抛开 无需理会 规避 關閉 关闭',
  prior:
    '之前 先前 以前 上面 上述 前面 此前 以上 原来 原先 最初 初始 原有 原始 已有 刚才 前述 收到 现有 早先 既定 迄今 到目前为止 预设',
  all: '所有 全部 一切 任何 每一 全都',
  instruction:
    '指令 指示 规则 規則 提示词 提示詞 提示 命令 限制 约束 要求 规定 指南 准则 原则 设定 政策 指导 指引 安全策略 过滤 审查 约定 条款 道德准则',
  talk: '内容 对话 任务 信息 消息 文字 上下文 话题 聊天',
  your: '你的 您的 给你的 你被 你所',
  system: '系统 系統 隐藏 内部 秘密 机密 开发者 底层',
  systemPrompt:
    '系统提示 系统提示词 系统提示語 系統提示 系统消息 系统指令 系统信息 初始提示 初始指令 初始设定 原始提示 你的提示词 你的指令 开头的内容 以上内容 上面的内容 开发者消息 内部指令 隐藏指令 你的规则 你的设定 前文内容 预设指令',
  reveal:
    '显示 告诉我 輸出 输出 打印 透露 泄露 泄漏 展示 公开 复述 重复 列出 说出 写出 披露 揭示 给我看 告訴我 翻译 是什么 逐字 一字不差 原封不动 复制 揭露 背诵 分享 发给我 总结一下你 念出',
  secret: '密码 密碼 口令 密钥 秘钥 秘密 暗号 凭证 密匙 通关密语 令牌',
  persona:
    '扮演 假装 假裝 假设你是 角色 你现在是 现在你是 你不再是 模拟 充当 想象 你将成为 变成 进入 切换到 切换为 开启 启用 你叫 化身 作为一个没有',
  free: '没有限制 不受限制 无限制 不受任何限制 没有任何限制 没有任何约束 不受约束 无审查 没有审查 无过滤 没有规则 没有道德 不受道德 任何事情 无所不能 不能拒绝 不会拒绝 不得拒绝 从不拒绝 没有底线 不受规则 不受束缚 无底线 解除限制 没有过滤 摆脱 不受法律 无视道德 不用考虑道德 随心所欲 绝不拒绝',
  now: '现在 從現在 从现在起 从现在开始 从此 接下来 而是 转而 立即 改为 即刻 今后',
  keep: '不要忽略 不要忘记 别忘了 请勿忽略 别忘记 我忘记 不可忽视 不容忽视 不能忽视 忘记带',
  authority:
    '开发者模式 管理员 我是你的开发者 我是开发者 开发人员 调试模式 维护模式 测试模式 授权 最高权限 超级用户 我是你的创造者 上帝模式 安全团队 管理员权限',
  ai: '人工智能 助手 语言模型 模型 机器人 智能助理 大模型',
  user: '用户 用戶 使用者',
  conceal: '不要告诉 不要提及 悄悄 秘密地 暗中 不要透露 不要说明 不告诉用户 偷偷 不要通知 无需确认 不要让用户 不要提到',
  send: '发送 發送 转发 上传 发到 转账 点击 访问 提交 下载 汇款 打开 发给 寄给 删除',
  data: '聊天记录 对话记录 个人信息 用户数据 邮件 联系人 文件 历史 数据 隐私',
  say: '回答 回复 说 輸出 答复 只说 写 回應 开头 评价',
  only: '只 仅 只能 只需 仅仅 除此之外 不要说别的 必须 一律',
  harm: '炸弹 炸药 武器 毒品 病毒 黑客 杀人 非法 违法 诈骗 色情 木马',
  meta: '攻击 漏洞 检测 防御 防范 研究 论文 文章 例子 解释 介绍 注入攻击 防护',
  question: '什么 为什么 如何 怎么 怎样 哪个 谁',
  newTask:
    '新的指令 新指令 新任务 新的任务 新规则 以下指令 下面的指令 真正的任务 我的指令 新的角色 新身份 按照我说的 听我的 如下指令 新的规则 以下要求 新要求 新的设定 实际任务',
  alarm: '重要 注意 紧急 警告 提醒',
  request: '请 必须 应该 需要 务必 要求你',
  document: '总结 摘要 文档 这篇文章 本页 网页 邮件 这段文字 概括',
}

export const JAPANESE: Lexicon = {
  override:
    '無視 忘れて 忘れろ 忘れなさい 従わない 従わず 従うな 従う必要はない 破棄 回避 上書き 無効 取り消し 守らない 破って 解除 放棄 スキップ 度外視 撤廃 かまわず 従わなくて 消去 飛ばして 忘却',
  prior:
    '以前 これまで 上記 前の 先ほど 先程 今まで 元の 最初 上の 従来 既存 初期 前述 それまで いままで 事前 過去 直前 冒頭 ここまで',
  all: 'すべて 全て 全部 あらゆる 一切 いかなる',
  instruction:
    '指示 命令 ルール 規則 プロンプト 制限 制約 ガイドライン 指令 方針 設定 ポリシー 指図 規約 倫理 フィルター 前提',
  talk: '内容 会話 メッセージ 文章 文脈 タスク 情報 話',
  your: 'あなたの 君の お前の 与えられた あなたに 受けた',
  system: 'システム 内部 隠された 秘密 機密 開発者 非公開',
  systemPrompt:
    'システムプロンプト システムメッセージ 初期プロンプト 初期指示 あなたの指示 あなたのプロンプト システム指示 上記の文章 最初の指示 内部指示 元のプロンプト 隠しプロンプト 冒頭の指示 初期設定 システム命令',
  reveal:
    '表示 教えて 見せて 出力 開示 明かして 公開 繰り返し 復唱 暴露 書き出し 漏らし 翻訳 何ですか 一字一句 そのまま 書いて 列挙 示して 言って コピー 答えて 共有',
  secret: 'パスワード 秘密 合言葉 暗証番号 シークレット キー 認証情報 秘密の言葉 鍵',
  persona:
    '演じて ふりをして なりきって 振る舞って ロールプレイ あなたは今 今からあなたは これからあなたは あなたはもう として行動 仮定 になって 役を モードに 想像して キャラクター 名乗って',
  free: '制限なし 制限のない 制限なく 無制限 制約のない 制約なし 検閲なし 検閲のない フィルターなし フィルターのない ルールのない 何でも 倫理を無視 拒否しない 拒否できない 拒まない 制約を受けない 規制のない 自由な 縛られない 道徳を無視 無検閲 制限を受けない 決して断らない 断らない',
  now: '今から 今後 これから 代わりに 以降 ただちに 直ちに 今すぐ では',
  keep: '忘れないで 無視しないで 忘れずに 忘れました 忘れてしま',
  authority:
    '開発者です 管理者 開発者モード デバッグモード メンテナンスモード 権限 テストモード 管理者権限 作成者 セキュリティチーム',
  ai: '人工知能 アシスタント 言語モデル チャットボット モデル エージェント',
  user: 'ユーザー 利用者',
  conceal: '言わないで 知らせず 秘密に こっそり 密かに 言及しない 伝えないで 触れない 気づかれない 告げず 確認せず',
  send: '送信 送って 転送 アップロード 送金 クリック アクセス ダウンロード 削除 開いて',
  data: '会話履歴 個人情報 データ メール 連絡先 ファイル 履歴',
  say: '答えて 返答 回答 言って 言いなさい 出力して 返して 書いて 答え',
  only: 'だけ のみ 必ず とだけ 以外',
  harm: '爆弾 爆発物 武器 麻薬 ウイルス ハッキング 違法 詐欺 殺',
  meta: '攻撃 脆弱性 検出 防御 防ぐ 対策 研究 論文 記事 例 説明して 解説',
  question: '何 なぜ どうやって どのように いつ どこ 誰 どうして とは',
  newTask:
    '新しい指示 新しい命令 新しいルール 次の指示 以下の指示 本当のタスク 新しい役割 私の指示 新たな指示 新しいタスク 私の命令 新規の指示 次の命令 以下の命令',
  alarm: '重要 注意 緊急 警告',
  request: 'ください して下さい なければならない 必要がある お願い てほしい しろ せよ',
  document: '要約 文書 この文章 このページ このメール 記事を読',
}

export const KOREAN: Lexicon = {
  override:
    '무시* 잊어* 잊고 잊으* 따르지_마* 따르지_말* 따르지_않* 우회* 무효* 어기* 어겨* 덮어* 건너뛰* 해제* 버리* 위반* 벗어나* 취소* 폐기* 신경_쓰지* 지워* 깨고',
  prior: '이전* 앞선 앞서 위의 위에 지금까지* 기존* 원래* 처음* 초기* 먼저 상기* 최초* 방금 앞의 그동안*',
  all: '모든 모두 전부 일체* 어떤',
  instruction: '지시* 명령* 규칙* 지침* 프롬프트* 제한* 제약* 가이드라인* 설정* 정책* 필터* 원칙* 안내* 요구* 규정*',
  talk: '내용* 대화* 메시지* 텍스트* 문맥* 작업* 정보* 말',
  your: '너의 네 당신의 너에게 당신에게 네가 받은',
  system: '시스템* 숨겨진 내부* 비밀* 기밀* 개발자*',
  systemPrompt:
    '시스템_프롬프트* 시스템프롬프트* 시스템_메시지* 시스템_지시* 시스템_명령* 초기_프롬프트* 너의_지침 원래_프롬프트* 숨겨진_지시*',
  reveal:
    '보여* 알려* 출력* 공개* 말해* 반복* 드러내* 누설* 적어* 표시* 밝혀* 번역* 나열* 무엇* 뭐야 뭐니 그대로 복사* 공유* 써줘 읊어*',
  secret: '비밀번호* 암호* 패스워드* 비밀_키 비밀키* 비밀_단어* 토큰* 인증_정보*',
  persona:
    '척해* 척하* 연기* 역할* 행동해* 너는_이제 이제_너는 이제부터_너는 당신은_이제 이제부터_당신은 상상* 가정* 롤플레이* 흉내* 지금부터_너는 너는_더_이상',
  free: '제한_없* 제한이_없* 무제한* 검열_없* 검열되지* 필터_없* 규칙이_없* 규칙_없* 무엇이든 뭐든지 윤리* 도덕* 거부하지* 거절하지* 제약_없* 제약이_없* 자유롭* 거부할_수 거절할_수 구애받지*',
  now: '이제 지금부터* 이제부터* 대신* 앞으로* 지금 즉시',
  keep: '잊지_마* 무시하지_마* 잊지_말* 무시하지_말* 잊어버렸* 잊었*',
  authority:
    '나는_개발자* 관리자* 개발자_모드* 디버그_모드* 유지보수_모드* 테스트_모드* 권한* 개발자야 보안팀* 제작자* 개발자입니다',
  ai: '인공지능* 어시스턴트* 언어_모델* 챗봇* 모델* 에이전트* 비서*',
  user: '사용자*',
  conceal: '말하지_마* 알리지_마* 언급하지_마* 몰래 비밀리에 언급하지_말* 알리지_말* 모르게 알리지_않* 확인_없이',
  send: '보내* 전송* 전달* 업로드* 송금* 클릭* 접속* 다운로드* 삭제* 방문*',
  data: '대화_기록* 개인정보* 데이터* 이메일* 연락처* 파일* 기록*',
  say: '답해* 대답* 답변* 말해* 출력해* 응답* 대답해* 써라 답하*',
  only: '오직 만 라고만 항상 반드시',
  harm: '폭탄* 폭발물* 무기* 마약* 바이러스* 해킹* 불법* 사기*',
  meta: '공격* 취약점* 탐지* 방어* 연구* 논문* 기사* 예시* 설명해* 방지*',
  question: '무엇* 왜 어떻게 언제 어디* 누구* 어떤',
  newTask:
    '새로운_지시* 새_지시* 새로운_명령* 새로운_규칙* 다음_지시* 새로운_역할* 새로운_작업* 내_지시* 내_명령* 아래_지시* 진짜_임무* 다음_명령*',
  alarm: '중요* 주의* 긴급* 경고*',
  request: '주세요 해야* 하세요 해줘 해라 하라 바랍니다',
  document: '요약* 문서* 이_글* 이_페이지* 이_이메일*',
}

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

export const HINDI_BENGALI: Lexicon = {
  override:
    'अनदेखा नज़रअंदाज़ नजरअंदाज अनदेखी भूल_जाओ भूल_जाइए भूल_जाएं भूल_जा भुला उपेक्षा पालन_मत पालन_न दरकिनार रद्द छोड़_दो बायपास तोड़ ध्यान_मत भूलकर উপেক্ষা ভুলে_যাও ভুলে_যান অগ্রাহ্য অমান্য',
  prior: 'पिछले पिछली पहले पूर्व उपरोक्त ऊपर मूल शुरुआती अब_तक प्रारंभिक पुराने মূল পূর্ববর্তী আগের উপরের পূর্বের',
  all: 'सभी सारे सब तमाम हर सारी কোনো সব সমস্ত সকল',
  instruction:
    'निर्देश निर्देशों नियम नियमों आदेश आदेशों दिशानिर्देश दिशानिर्देशों प्रतिबंध प्रतिबंधों सीमाओं हिदायतों हिदायतें पाबंदियों পরামর্শ নির্দেশ নির্দেশাবলী নির্দেশনা নিয়ম আদেশ প্রম্পট प्रॉम्प्ट',
  your: 'अपने अपनी अपना तुम्हारे आपके आपको तुम्हें आपकी তোমার আপনার',
  talk: 'संदेश बातचीत संदर्भ कार्य जानकारी बातें बात পাঠ্য কথোপকথন বার্তা',
  system: 'सिस्टम गुप्त छिपे आंतरिक সিস্টেম গোপন',
  systemPrompt:
    'सिस्टम_प्रॉम्प्ट सिस्टम_संदेश सिस्टम_निर्देश अपने_निर्देश मूल_निर्देश प्रारंभिक_निर्देश गुप्त_निर्देश সিস্টেম_প্রম্পট সিস্টেম_নির্দেশ',
  reveal:
    'दिखाओ दिखाइए दिखाएं बताओ बताइए बताएं प्रकट उजागर दोहराओ दोहराएं प्रिंट लिखो क्या_है क्या_हैं अनुवाद साझा शब्दशः सुनाओ खुलासा দেখাও দেখান বলো বলুন প্রকাশ পুনরাবৃত্তি',
  secret: 'पासवर्ड गुप्त_कोड कुंजी गुप्त_शब्द পাসওয়ার্ড',
  persona: 'नाटक दिखावा भूमिका अभिनय अब_तुम अब_आप कल्पना बन_जाओ रोल तरह_व्यवहार जैसे_व्यवहार ভান ভূমিকা এখন_তুমি এখন_আপনি অভিনয়',
  free: 'बिना_किसी_प्रतिबंध बिना_प्रतिबंध बिना_किसी_सीमा बिना_सेंसर असीमित बिना_किसी_नियम कोई_नियम_नहीं कोई_सीमा_नहीं कुछ_भी बिना_किसी_रोक कोई_प्रतिबंध_नहीं बिना_फ़िल्टर बिना_फिल्टर কোনো_সীমাবদ্ধতা_ছাড়া সীমাহীন কোনো_নিয়ম_ছাড়া',
  now: 'अब अब_से इसके_बजाय आगे_से तुरंत এখন এখন_থেকে পরিবর্তে',
  keep: 'मत_भूलना न_भूलें भूलना_मत भूल_गया भूल_गई',
  authority: 'डेवलपर प्रशासक व्यवस्थापक डेवलपर_मोड डिबग_मोड एडमिन अधिकृत रखरखाव_मोड ডেভেলপার অ্যাডমিন',
  ai: 'एआई सहायक भाषा_मॉडल मॉडल चैटबॉट এআই সহকারী',
  user: 'उपयोगकर्ता यूज़र यूजर ব্যবহারকারী',
  conceal: 'मत_बताना मत_बताओ चुपके गुप्त_रूप बिना_बताए না_জানিয়ে गुपचुप',
  send: 'भेजो भेजें भेज भेजिए अपलोड ट्रांसफर क्लिक পাঠাও পাঠান',
  say: 'जवाब कहो उत्तर बोलो लिखो कहिए উত্তর বলো',
  only: 'केवल सिर्फ़ सिर्फ मात्र শুধু শুধুমাত্র',
  newTask: 'नए_निर्देश नया_निर्देश नया_कार्य नए_नियम निम्नलिखित_निर्देश मेरे_निर्देश मेरे_आदेश नया_काम নতুন_নির্দেশ নতুন_নির্দেশনা',
  question: 'क्या क्यों कैसे कब कहाँ कौन কী কেন কীভাবে',
  meta: 'हमला हमले सुरक्षा उदाहरण समझाओ समझाइए लेख',
  request: 'कृपया चाहिए जरूर',
}

export const SOUTH_EAST_ASIAN: Lexicon = {
  override:
    'abaikan lupakan langgar kesampingkan jangan_ikuti jangan_patuhi hiraukan bỏ_qua quên_đi phớt_lờ quên_hết quên_tất hãy_quên không_tuân đừng_tuân vượt_qua balewalain kalimutan huwag_sundin puuza sahau usifuate ละเว้น เพิกเฉย ลืม ไม่ต้องทำตาม ไม่สนใจ ข้าม อย่าทำตาม',
  prior:
    'sebelumnya di_atas awal terdahulu sebelum_ini trước trước_đó bên_trên ở_trên ban_đầu phía_trên nakaraang naunang zilizopita yaliyotangulia ก่อนหน้า ก่อนหน้านี้ ข้างต้น เดิม ที่ผ่านมา ด้านบน',
  all: 'semua seluruh segala tất_cả mọi lahat yote zote ทั้งหมด ทุก',
  instruction:
    'instruksi perintah aturan arahan petunjuk batasan pedoman hướng_dẫn chỉ_dẫn lệnh quy_tắc chỉ_thị hạn_chế tagubilin utos patakaran maagizo maelekezo sheria คำสั่ง คำแนะนำ กฎ ข้อจำกัด ข้อกำหนด',
  your: 'kamu anda của_bạn iyong yako ของคุณ',
  talk: 'pesan konteks percakapan tugas tin_nhắn ngữ_cảnh nhiệm_vụ nội_dung ข้อความ บทสนทนา',
  system: 'sistem hệ_thống rahasia bí_mật ระบบ',
  systemPrompt:
    'prompt_sistem pesan_sistem instruksi_sistem lời_nhắc_hệ_thống prompt_hệ_thống hướng_dẫn_hệ_thống lệnh_hệ_thống system_prompt_mo คำสั่งระบบ พรอมต์ระบบ instruksi_awal',
  reveal:
    'tampilkan tunjukkan ungkapkan beritahu cetak ulangi bocorkan hiển_thị tiết_lộ cho_tôi_biết cho_tôi_xem in_ra lặp_lại nói_cho ipakita sabihin ibunyag onyesha niambie fichua แสดง เปิดเผย บอก พิมพ์ ทวน',
  secret: 'kata_sandi sandi mật_khẩu nenosiri รหัสผ่าน ความลับ',
  persona:
    'berpura-pura bertindak_sebagai bertindaklah berperan kamu_sekarang anda_sekarang sekarang_kamu sekarang_anda đóng_vai giả_vờ bây_giờ_bạn hãy_đóng magpanggap kunwari jifanye สวมบทบาท แกล้งทำ ตอนนี้คุณคือ ทำตัวเป็น',
  free: 'tanpa_batasan tanpa_batas tanpa_sensor tanpa_filter tanpa_aturan tidak_terbatas không_giới_hạn không_có_giới_hạn không_hạn_chế không_bị_hạn_chế không_kiểm_duyệt không_có_quy_tắc walang_limitasyon bila_vikwazo ไม่มีข้อจำกัด ไม่จำกัด ไร้ขีดจำกัด ไม่มีกฎ',
  now: 'sekarang mulai_sekarang sebagai_gantinya mulai_saat_ini bây_giờ từ_bây_giờ thay_vào_đó ngayon sasa badala_yake ตอนนี้ ตั้งแต่นี้ไป แทน จากนี้',
  keep: 'jangan_lupa jangan_abaikan đừng_quên อย่าลืม',
  authority:
    'saya_pengembang pengembang administrator mode_pengembang nhà_phát_triển quản_trị_viên chế_độ_nhà_phát_triển ผู้ดูแลระบบ โหมดนักพัฒนา ผู้พัฒนา',
  ai: 'asisten model_bahasa trợ_lý mô_hình_ngôn_ngữ ผู้ช่วย',
  conceal: 'jangan_beri_tahu diam-diam jangan_sebutkan đừng_nói âm_thầm อย่าบอก',
  send: 'kirim kirimkan gửi chuyển_tiếp ipadala tuma ส่ง',
  say: 'jawab katakan trả_lời nói sagutin jibu sema ตอบ พูด',
  only: 'hanya cuma chỉ lamang เท่านั้น',
  newTask:
    'instruksi_baru tugas_baru perintah_baru hướng_dẫn_mới nhiệm_vụ_mới chỉ_thị_mới bagong_utos maagizo_mapya คำสั่งใหม่ งานใหม่',
  question: 'apa mengapa bagaimana kapan tại_sao như_thế_nào อะไร ทำไม อย่างไร',
}

export const GREEK_HUNGARIAN: Lexicon = {
  override:
    'αγνόησε αγνοήστε ξέχασε ξεχάστε παράβλεψε παράκαμψε hagyd_figyelmen felejtsd felejts_el ne_kövesd hagyja_figyelmen',
  prior: 'προηγούμενες προηγούμενα παραπάνω αρχικές korábbi előző fenti eddigi eredeti',
  all: 'όλες όλα όλους összes minden',
  instruction: 'οδηγίες εντολές κανόνες περιορισμούς utasítás* szabály* korlátozás* irányelv*',
  your: 'σου σας',
  systemPrompt:
    'οδηγίες_συστήματος μήνυμα_συστήματος προτροπή_συστήματος οδηγίες_σου rendszerprompt* rendszerutasítás* rendszerüzenet* utasításaidat',
  reveal: 'δείξε αποκάλυψε εμφάνισε πες_μου επανάλαβε τύπωσε mutasd áruld ismételd írd_ki mondd_el fedd',
  secret: 'κωδικό κωδικός_πρόσβασης κωδικό_πρόσβασης jelszó jelszót jelszavad*',
  persona: 'προσποιήσου κάνε_πως είσαι_τώρα τώρα_είσαι παίξε_τον_ρόλο tegyél_úgy viselkedj mostantól_te te_most játszd',
  free: 'χωρίς_περιορισμούς χωρίς_όρια χωρίς_κανόνες χωρίς_λογοκρισία korlátlan* korlátozás_nélkül* korlátok_nélkül* szabályok_nélkül* cenzúrázatlan*',
  now: 'τώρα από_τώρα αντί_αυτού mostantól ehelyett',
  say: 'απάντησε πες válaszolj mondd',
  only: 'μόνο csak kizárólag',
  newTask: 'νέες_οδηγίες νέα_εργασία új_utasítás* új_feladat*',
}
